import type { RequestListener } from 'node:http';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { DirectRequest } from '@tallyhook/platform/http/body';
import { createHealth, healthListener } from '@tallyhook/platform/http/health';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { createLifecycle } from '@tallyhook/platform/lifecycle';
import { createLog, type Log } from '@tallyhook/platform/log';
import { adaptLogger, type Logger } from '@tallyhook/platform/logger';
import { createTemporaryDatabase } from '@tallyhook/platform/temporary-database';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { type ReceiverListing, readReceiverOptions } from '../../config/receiver-options.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { logShortSecrets } from '../../config/warnings.ts';
import type { Ledger } from '../core/ledger/program-ledger.ts';
import { createMetrics } from '../core/metrics.ts';
import { createEffectNotices } from '../core/outbox/effect-notices.ts';
import { communityOfQueues, parseQueue } from '../core/outbox/queue.ts';
import { createWorker } from '../core/outbox/worker.ts';
import { createReplayHandler } from '../core/receiving/replay.ts';
import type { WebhookRoutes } from '../core/receiving/webhook-routes.ts';
import type { RecordedDelivery } from '../core/tally/tally.ts';
import { type CommunityIds, prepareCommunities } from '../features/communities/community-ids.ts';
import { createDirectory } from '../features/communities/directory.ts';
import { confirmRule } from '../features/confirmations/store.ts';
import { createLedger } from '../features/corrections/program-ledger.ts';
import type { Handlers } from '../features/handlers/handlers.ts';
import { createHandling } from '../features/handlers/handling.ts';
import { openSqliteStore } from '../features/sqlite-store.ts';
import type { Store } from '../features/store.ts';
import { createUpkeep } from '../features/upkeep/upkeep.ts';
import { readinessChecks } from './readiness-checks.ts';
import { createForeignBytesReport, createReceiving, createRecording, noteProgram } from './receiving.ts';

/** The handlers of events that a receiver has. Purchases in the shop and reviews need the bot. @category Start here */
export type ReceiverHandlers = Pick<Handlers, 'onVote' | 'onPremium' | 'onStreak' | 'onMilestone' | 'concurrency'>;

/** Options of a receiver: the listings with their secrets, and where to store their votes. @category Start here */
export interface ReceiverOptions {
  readonly listings: readonly ReceiverListing[];
  /**
   * The SQLite file, created if it does not exist; its folder has to exist, apart from `data`. With `:memory:`, a temporary file that {@link VoteReceiver.stop}
   * deletes: for tests only, because repeated deliveries are then paid again after a restart.
   */
  readonly database: string;
  /** Your own functions for events. */
  readonly handlers?: ReceiverHandlers;
  /** Called for every stored delivery, after its commit, in this process only; unlike a handler, it is not repeated. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Where {@link VoteReceiver.start} listens; 127.0.0.1 and 3000 by default. Port 0 selects a free port. */
  readonly host?: string;
  readonly port?: number;
  /** Any logger, such as `console`; by default warnings and errors are JSON lines on stdout. Secrets are removed. */
  readonly log?: Logger;
  /** The clock of this machine by default. */
  readonly clock?: Clock;
  /** Replaces the origin of every request to a site that confirms votes, for tests and proxies. */
  readonly siteApiUrl?: string;
}

/** Receives, counts and pays votes. @category Start here */
export interface VoteReceiver extends WebhookRoutes {
  /** The webhook routes with health and metrics, for `http.createServer`. */
  readonly http: RequestListener;
  /**
   * Balances, votes, entries and leaderboards, and changes of balances. Rejects with TallyhookError
   * `already_stopped` after {@link stop}.
   */
  readonly ledger: Ledger;
  /**
   * Starts to call the handlers. With `listen: false` it does not open a port; then mount {@link webhooks}, {@link fetch} or {@link node}.
   * Returns the URL that it listens on; null if it does not listen or was stopped meanwhile.
   * @throws TallyhookError `cannot_listen`, `already_started`, or `already_stopped`: after {@link stop} create another one
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * Stops requests and calls of handlers, each of which may finish within 3 s, then closes the database. Every
   * acknowledged delivery is on disk.
   */
  stop(): Promise<void>;
}

const closeTimeoutMs = 2 * second;
/** Nothing is deleted, as by default in the program. */
const keep = { bodiesMs: null, effectsMs: null };

/**
 * The receiver alone: it verifies deliveries, counts and pays votes in a SQLite file, and calls your handlers. It needs
 * neither Discord, nor an API key, nor a database server, and does not load discord.js.
 *
 * @category Start here
 * @throws InvalidConfigError `invalid_options`, with all issues
 * @throws TallyhookError `cannot_open_database`, `database_too_new`, or `in_use` if another program has the file open
 *
 * @example
 * ```ts
 * import { createReceiver } from 'tallyhook/receiver';
 *
 * const receiver = await createReceiver({
 *   listings: [{ name: 'my-server', kind: 'server', voteSecrets: ['secret of the vote webhook'] }],
 *   database: 'votes.db',
 *   handlers: {
 *     onVote: ({ userId, credits, streak }) => console.log(`${userId}: +${credits}, day ${streak}`),
 *   },
 * });
 * console.log(`Webhook address: ${await receiver.start()}/webhooks/vote`);
 * ```
 */
export async function createReceiver(options: ReceiverOptions): Promise<VoteReceiver> {
  const { listings, path } = readReceiverOptions(options);
  const { clock = systemClock } = options;
  const { log } = adaptLogger(options.log ?? createLog({ level: 'warn', secrets: [] }), secretsOf(listings));
  const database = path === null ? createTemporaryDatabase() : { path, remove: () => {} };
  let store: Store | undefined;
  try {
    store = await openSqliteStore(database.path, clock, { claim: 'exclusive', log });
    const communityIds = await prepareCommunities(store.communityIds, listings);
    const confirmations = listings.some(({ rewards }) => confirmRule.in(rewards)) ? await loadConfirmations() : null;
    const opened = { listings, communityIds, confirmations, removeDatabase: database.remove };
    return assembleReceiver(store, { ...options, clock, log }, opened);
  } catch (error) {
    await Promise.allSettled([store?.close()]);
    database.remove();
    throw error;
  }
}

function assembleReceiver(
  store: Store,
  { clock, log, handlers = {}, onRecorded, host = '127.0.0.1', port = 3000, ...options }: CompleteOptions,
  { listings, communityIds, confirmations, removeDatabase }: Opened,
): VoteReceiver {
  const directory = createDirectory(listings, communityIds.of);
  const metrics = createMetrics();
  const context = { metrics, clock, log, store, directory, isShared: false };
  const notices = createEffectNotices(null);
  const ledgerIn = (guildId?: string | null) => createLedger({ store, directory, clock }, guildId);
  const handling = createHandling({ ...context, notices, handlers, ledgerIn, isStreamed: false });
  const recorder = handling.recording.recorder(store.recorder);
  const recording = createRecording({ ...context, recorder, onRecorded, nudge: notices.nudge });
  const siteApiUrl = options.siteApiUrl ?? null;
  const confirmation = confirmations?.createConfirmationHandler({
    ...context,
    ...recording,
    lookups: new confirmations.LookupClients(
      { listings, siteApiUrl, lookup: { baseUrl: '' } },
      { ...context, communityIds, cache: confirmations.memoryKeyv() },
    ),
  });
  const worker = createWorker({
    ...context,
    outbox: store.outbox,
    handlers: [handling.handler, createReplayHandler(recording), ...(confirmation ? [confirmation] : [])],
    owns: {
      handlers: handling.isOwn,
      ledger: (queue) => confirmation !== undefined || parseQueue(queue).type !== 'confirmation',
    },
    attemptsPerQueue: { handlers: handling.attemptsPerQueue },
    communityOf: communityOfQueues(directory),
    notices,
    onAttempted() {},
  });
  const processing = {
    start: () => worker.start(),
    async stop(): Promise<void> {
      await worker.stop();
      handling.abortCalls();
    },
  };
  const { receiver, ...receiving } = createReceiving({
    ...recording,
    directory,
    isUnreadable: () => false,
    targetIdOf: (listing) => directory.find(listing)?.id ?? null,
  });
  const upkeep = createUpkeep({ ...context, keep });
  const { process: checks } = readinessChecks(store, ['receive'], { answering: null, access: null, sync: null });
  const lifecycle = createLifecycle({ name: 'receiver', log });
  const { isStopping } = lifecycle;
  const health = createHealth({ checks, roles: new Map([['receive', checks]]), metrics, isStopping });
  const http = receiver.withFallback(healthListener(health, log));
  const onForeignBytes = createForeignBytesReport(context);
  const server = createHttpServer(http, { IncomingMessage: DirectRequest, onForeignBytes });
  const parts = [receiving, processing, upkeep];

  return {
    webhooks: receiver.webhooks,
    fetch: receiver.fetch,
    node: receiver.node,
    http,
    ledger: lifecycle.whileOpen(ledgerIn()),
    start: lifecycle.startOnce(async ({ listen = true } = {}) => {
      if (!isStopping()) receiving.open();
      const address = listen && !isStopping() ? await server.listen(host, port) : null;
      if (isStopping()) return null;
      for (const part of parts) part.start();
      logShortSecrets(listings, log);
      void noteProgram(store, listings, null, log);
      return address?.url ?? null;
    }),
    stop: lifecycle.stopOnce(async () => {
      await Promise.all([server.close(), ...parts.map((part) => part.stop())]);
      receiving.close();
      lifecycle.close();
      await settleWithin(closeTimeoutMs, clock, store.close());
      removeDatabase();
    }),
  };
}

type CompleteOptions = Omit<ReceiverOptions, 'log'> & { readonly clock: Clock; readonly log: Log };

interface Opened {
  readonly listings: readonly ListingConfig[];
  readonly communityIds: CommunityIds;
  /** Null if no site is to confirm votes. */
  readonly confirmations: Awaited<ReturnType<typeof loadConfirmations>> | null;
  readonly removeDatabase: () => void;
}

/** Has sites confirm votes. Loaded only if one is to, because a receiver needs no other client. */
async function loadConfirmations() {
  const { LookupClients } = await import('../features/communities/lookup-clients.ts');
  const { createConfirmationHandler } = await import('../features/confirmations/confirm.ts');
  const { memoryKeyv } = await import('../lookup/memory-keyv.ts');
  return { LookupClients, createConfirmationHandler, memoryKeyv };
}

function secretsOf(listings: readonly ListingConfig[]): string[] {
  return listings.flatMap(({ voteSecrets, premiumSecrets, voteAuthorization, site }) => [
    ...voteSecrets,
    ...premiumSecrets,
    ...(voteAuthorization === null ? [] : [voteAuthorization]),
    ...(site?.key ? [site.key] : []),
  ]);
}
