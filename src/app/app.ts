import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import type { Config } from '../../config/schema.ts';
import { createHttpApp } from '../http/app.ts';
import { coalesce } from '../http/coalesce.ts';
import { createHealth } from '../http/health.ts';
import { createMetrics, type Metrics } from '../http/metrics/metrics.ts';
import { createHttpServer } from '../http/server.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import { openKeyv } from '../lookup/open-keyv.ts';
import type { AttemptResult, Effect } from '../outbox/effect.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { openStore, type Store } from '../store/store.ts';
import type { RecordedDelivery } from '../tally/tally.ts';
import { en } from '../texts/en.ts';
import { DirectRequest } from '../webhook/body.ts';
import { createDueReplays } from '../webhook/due-replays.ts';
import { createIntake } from '../webhook/intake.ts';
import { createKeyring, type Keyring } from '../webhook/keyring.ts';
import { createReceiver, type Receiver } from '../webhook/receiver.ts';
import { createReplay } from '../webhook/replay.ts';
import { createBot } from './bot.ts';
import { logConfigWarnings } from './config-warnings.ts';
import { createLookupClients } from './lookup-clients.ts';
import { createOwnerApp } from './owner.ts';

type Cache = Awaited<ReturnType<typeof openKeyv>>;

/** How long cache and database may take to close (ms): a server that has gone silent must not hold up the end. */
const closeTimeoutMs = 2 * second;

/** tallyhook, put together. */
export interface App {
  /** The webhook routes alone, to be mounted in somebody else's Express app: before `express.json()`, or its body is gone. */
  readonly webhooks: Router;
  /** Balances and votes, for whoever builds on them. */
  readonly ledger: LedgerReads;
  /** Everything that is served: webhooks, health, metrics and, with a token, the owner's API. */
  readonly http: RequestListener;
  /**
   * Connects to Discord and starts to work on the outbox. With `listen: false` it opens no port of its own.
   * Throws TallyhookError `cannot_listen`. Returns the address that it listens on; null where it does not, or was stopped meanwhile.
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * Exchanges the webhook secrets and API keys for those of a configuration with the same listings, all at once, while deliveries come in.
   * Throws TallyhookError `lookup_key_malformed`; then all stays as it was.
   */
  reloadSecrets(config: Config): void;
  /**
   * Stops in the opposite order: requests, effects and commands, each with a grace of a few seconds for what is under way, then cache
   * and store. Takes less than 10 s, whoever hangs. What was acknowledged is on disk.
   */
  stop(): Promise<void>;
}

/** What the outside hands in. */
export interface AppDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every delivery that was stored, after its commit. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Told of every attempt on effects, before what became of it is written down. */
  readonly onAttempted?: (effects: readonly Effect[], attempt: AttemptResult) => void;
  /** Put around all that is served, to see each request before it is handled. */
  readonly wrapListener?: (listener: RequestListener) => RequestListener;
  /** The time that really passes, where that is not the clock's: for connections to Discord. */
  readonly stopwatch?: Clock;
}

/**
 * Makes every adapter and hands each room its slice of the configuration. Opens the store; connects to nothing yet.
 * @throws TallyhookError `database_too_new`, `cannot_open_database` or `lookup_key_malformed`, and what
 *   {@link openKeyv} throws
 */
export async function createApp(config: Config, edges: AppDependencies): Promise<App> {
  const cache = await openKeyv(config.cacheUrl, (fault) =>
    edges.log.warn({ reason: messageOf(fault) }, 'the cache is at fault; going on without'),
  );
  let store: Store | undefined;
  try {
    store = await openStore(config.databaseUrl, edges.clock, { log: edges.log });
    return assembleApp(store, cache, config, edges);
  } catch (error) {
    await Promise.allSettled([cache.disconnect(), store?.close()]);
    throw error;
  }
}

function assembleApp(store: Store, cache: Cache, config: Config, edges: AppDependencies): App {
  const {
    clock,
    log,
    onRecorded = () => {},
    onAttempted = () => {},
    wrapListener: around = (listener) => listener,
  } = edges;
  const metrics = createMetrics({
    waitingTransactions: store.waiting,
    effects: store.outbox.sizes,
    waitingSince: () => store.outbox.waitingSince(clock.now()),
    isConnected: () => bot.isConnected,
    keys: () => lookups.keyStatuses(),
    now: clock.now,
  });
  const lookups = createLookupClients(config, { store, cache, metrics, clock, log });
  const bot = createBot(config.discord, {
    context: { listings: lookups.listings, texts: en, clock },
    outbox: store.outbox,
    commandRegistry: store.commandRegistry,
    metrics,
    log,
    stopwatch: edges.stopwatch ?? clock,
    onAttempted,
  });

  const parts: AppParts = {
    store,
    clock,
    log,
    metrics,
    onRecorded(recorded) {
      bot.nudge();
      onRecorded(recorded);
    },
  };
  const keyring = createKeyring(config.listings);
  const receiver = receiverFor(keyring, parts);
  const replay = createReplay({ ...parts, listings: config.listings, recorder: store.recorder });
  const dueReplays = createDueReplays({ quarantine: store.quarantine, replay, clock, log });
  const probeStore = coalesce(store.probe, second);
  const vital = {
    store: async () => {
      // Never cached: `doctor` opens the database when this says that the file is the one in use.
      store.checkFiles();
      await probeStore();
    },
    discord: async () => {
      if (!bot.isConnected) throw new Error('not connected to the gateway');
    },
  };
  const health = createHealth({
    parts: vital,
    roles: new Map([['receive', { store: vital.store }]]),
    metrics,
    isStopping: () => stopped !== undefined,
  });
  const owner = createOwnerApp(config, {
    ...parts,
    readinessChecks: vital,
    keys: lookups.keyStatuses,
    replay,
    nudge: bot.nudge,
  });
  const http = receiver.withFallback(createHttpApp({ webhooks: receiver.router, health, owner, log }));
  const server = createHttpServer(around(http), { IncomingMessage: DirectRequest });
  let stopped: Promise<void> | undefined;

  return {
    webhooks: receiver.router,
    http,
    ledger: store.ledger,
    async start({ listen = true } = {}) {
      const isWanted = listen && stopped === undefined;
      const address = isWanted ? await server.listen(config.http.host, config.http.port) : null;
      if (stopped !== undefined) return null;
      bot.start();
      dueReplays.start();
      logConfigWarnings(config, log);
      if (address !== null) log.info({ url: address.url }, 'receiving webhooks');
      return address?.url ?? null;
    },
    reloadSecrets({ listings }) {
      const exchangeKeys = lookups.prepareKeys(listings);
      keyring.replace(listings);
      exchangeKeys();
    },
    stop() {
      stopped ??= (async () => {
        await Promise.all([server.close(), bot.stop(), dueReplays.stop()]);
        await settleWithin(closeTimeoutMs, clock, cache.disconnect());
        await settleWithin(closeTimeoutMs, clock, store.close());
        log.info('stopped');
      })();
      return stopped;
    },
  };
}

interface AppParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onRecorded: (recorded: RecordedDelivery) => void;
}

function receiverFor(keyring: Keyring, { store, clock, log, metrics, onRecorded }: AppParts): Receiver {
  const intake = createIntake({
    keyring,
    recorder: store.recorder,
    clock,
    log,
    onRecorded,
    observeCommit: (durationMs) => metrics.commitSeconds.observe(durationMs / second),
  });
  return createReceiver({
    intake,
    clock,
    log,
    observe: ({ status, outcome, durationMs }) => {
      metrics.deliveries.inc({ status, outcome: outcome ?? 'refused' });
      metrics.deliverySeconds.observe(durationMs / second);
    },
  });
}
