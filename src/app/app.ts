import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import type { Config } from '../../config/schema.ts';
import { createHttpApp } from '../http/app.ts';
import { coalesce } from '../http/coalesce.ts';
import { createHealth } from '../http/health.ts';
import { createMetrics, type Metrics } from '../http/metrics/metrics.ts';
import type { ReadinessChecks } from '../http/readiness.ts';
import { createHttpServer } from '../http/server.ts';
import type { LedgerReads } from '../ledger/ledger.ts';
import type { Standings } from '../ledger/standing.ts';
import { openKeyv } from '../lookup/open-keyv.ts';
import type { AttemptResult, ClaimedEffect } from '../outbox/effect.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { sqlitePathOf } from '../store/dialect/dialect.ts';
import { openStore, type Store } from '../store/store.ts';
import type { RecordedDelivery } from '../tally/tally.ts';
import { DirectRequest } from '../webhook/body.ts';
import { createDueReplays } from '../webhook/due-replays.ts';
import { createIntake } from '../webhook/intake.ts';
import { createKeyring, type Keyring } from '../webhook/keyring.ts';
import { createReceiver, type Receiver } from '../webhook/receiver.ts';
import { createReplay } from '../webhook/replay.ts';
import { createAnnouncements } from './announcements.ts';
import { type Bot, createBot } from './bot.ts';
import { logConfigWarnings } from './config-warnings.ts';
import { createConfiguredAnnouncementLoop } from './create-announcement-loop.ts';
import { currentParty } from './current-party.ts';
import { createDirectory } from './directory.ts';
import { createEffectNotices } from './effect-notices.ts';
import { createLinkedRolesService } from './linked-roles.ts';
import { listingsByGuild } from './listings.ts';
import { createLookupClients } from './lookup-clients.ts';
import { createMemberServices } from './member-services.ts';
import { createOwnerApp } from './owner.ts';
import { createSeenMembers } from './seen-members.ts';
import { createUpkeep } from './upkeep.ts';

type Cache = Awaited<ReturnType<typeof openKeyv>>;

/** For the cache and the database each: a server that does not respond must not delay the shutdown. */
const closeTimeoutMs = 2 * second;

/** How often to look for announcements of other processes, on a database server (ms). */
const sharedDatabasePollMs = second / 5;

/** A complete tallyhook instance. */
export interface App {
  /**
   * The webhook routes alone, for another Express app. Mount them before `express.json()`, which would consume the
   * body.
   */
  readonly webhooks: Router;
  /** Balances and votes. */
  readonly ledger: LedgerReads;
  /** Rank, streak and leaderboards of the members. */
  readonly standings: Standings;
  /** All routes: webhooks, health, metrics and, with an owner token, the owner's API and console. */
  readonly http: RequestListener;
  /**
   * Connects to Discord and starts to process the outbox. With `listen: false` it does not open a port.
   * Returns the URL that it listens on; null if it does not listen or was stopped meanwhile.
   * @throws TallyhookError `cannot_listen`
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * Replaces all webhook secrets and API keys with those of a configuration that has the same listings, without a
   * restart.
   * @throws TallyhookError `lookup_key_malformed`; then nothing is replaced
   */
  reloadSecrets(config: Config): void;
  /**
   * Stops requests, effects and commands, each of which may finish within a few seconds, then closes the cache and the
   * store. Takes less than 10 s. Every acknowledged delivery is on disk.
   */
  stop(): Promise<void>;
}

/** What the caller provides: the environment, and hooks to observe the app. */
export interface AppDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every stored delivery, after its commit. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Called for every attempt on effects, before its result is stored. */
  readonly onAttempted?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
  /** Wraps the listener of all routes, to observe requests before they are handled. */
  readonly wrapListener?: (listener: RequestListener) => RequestListener;
  /** Real time for the connection to Discord; needed if `clock` does not run in real time. */
  readonly stopwatch?: Clock;
}

/**
 * Creates all components and passes each its part of the configuration. Opens the database and the cache; connects to
 * nothing else.
 * @throws TallyhookError `database_too_new`, `cannot_open_database` or `lookup_key_malformed`, and the errors of
 *   {@link openKeyv}
 */
export async function createApp(config: Config, dependencies: AppDependencies): Promise<App> {
  const { clock, log } = dependencies;
  const cache = await openKeyv(config.cacheUrl, (error) =>
    log.warn({ reason: messageOf(error) }, 'cache error; continuing without the cache'),
  );
  let store: Store | undefined;
  try {
    store = await openStore(config.databaseUrl, clock, { log });
    return assembleApp(store, cache, config, dependencies);
  } catch (error) {
    await Promise.allSettled([cache.disconnect(), store?.close()]);
    throw error;
  }
}

function assembleApp(store: Store, cache: Cache, config: Config, dependencies: AppDependencies): App {
  const { clock, log, stopwatch = clock, onRecorded = () => {}, onAttempted = () => {} } = dependencies;
  const { wrapListener = (listener) => listener } = dependencies;
  const directory = createDirectory(config.listings);
  const metrics = createMetrics();
  const lookups = createLookupClients(config, { store, cache, metrics, clock, log });
  const linkedRoles = createLinkedRolesService(config, {
    ...{ members: store.linkedMembers, clock, log },
    directory,
    nudge: (queue) => nudgeEverywhere([queue]),
  });
  const services = createMemberServices(config, {
    unlink: linkedRoles?.unlink,
    ...{ store, lookups, directory, metrics, clock, log },
    nudge: nudgeEverywhere,
  });
  const bot: Bot = createBot(config, {
    ...services,
    updateRoleConnection: linkedRoles?.update,
    clock,
    announcements: createAnnouncements(directory),
    votesBetween: store.announcements.votesBetween,
    votesOf: async (userId) => (await store.ledger.account(userId)).votes,
    outbox: store.outbox,
    newEffectsPollMs: sqlitePathOf(config.databaseUrl) === null ? sharedDatabasePollMs : null,
    commandRegistry: store.commandRegistry,
    rewards: store.rewards,
    partyPanels: store.partyPanels,
    memberLocales: store.memberLocales,
    ownerChannelOf: (guildId) => directory.ofGuild(guildId)?.ownerChannelId ?? null,
    onMemberSeen: createSeenMembers({
      listingsIn: (guildId) => directory.inGuild(guildId)[0]?.listings ?? [],
      ...{ rewards: store.rewards, clock, log },
    }),
    metrics,
    log,
    stopwatch,
    onAttempted,
  });
  metrics.watch({
    waitingTransactions: store.waiting,
    effects: store.outbox.sizes,
    waitingSince: () => store.outbox.waitingSince(clock.now()),
    isConnected: () => bot.isConnected,
    keys: lookups.keyStatuses,
    now: clock.now,
    party: () => currentParty(store.rewards, directory.listings, clock.now()),
  });

  const notices = createEffectNotices(config.cacheUrl, clock, bot.nudge);
  const parts: AppParts = {
    store,
    clock,
    log,
    metrics,
    onRecorded(recorded, queues) {
      for (const cause of recorded.causes) metrics.entries.inc({ cause });
      nudgeEverywhere(queues);
      onRecorded(recorded);
    },
  };
  const keyring = createKeyring(directory.listings);
  directory.onChange(() => {
    keyring.replace(directory.listings);
    bot.offerChanged();
  });
  const receiver = receiverFor(keyring, parts);
  const replay = createReplay({ ...parts, listings: () => directory.listings, recorder: store.recorder });
  const dueReplays = createDueReplays({ quarantine: store.quarantine, replay, clock, log });
  const { rewards, memberData, counting, pruning } = store;
  const upkeep = createUpkeep({
    ...{ rewards, memberData, counting, pruning, keep: config.keep, clock, log },
    firstListing: () => directory.listings[0],
    onPruned: (what, rows) => metrics.prunedRows.inc({ what }, rows),
  });
  const announcementLoop = createConfiguredAnnouncementLoop(directory, {
    ...{ store, lookups, metrics, clock, log },
    onEnqueued: (queue) => nudgeEverywhere([queue]),
  });
  const checks = readinessChecks(store, bot);
  const health = createHealth({
    checks,
    roles: new Map([['receive', { store: checks.store }]]),
    metrics,
    isStopping: () => stopped !== undefined,
  });
  const owner = createOwnerApp(config, {
    ...parts,
    checks,
    directory,
    keyStatus: lookups.keyStatus,
    standings: services.standings,
    replay,
    nudge: (queue) => bot.nudge([queue]),
  });
  const http = receiver.withFallback(
    createHttpApp({ webhooks: receiver.router, health, owner, linkedRoles: linkedRoles?.routes ?? null, log }),
  );
  const server = createHttpServer(wrapListener(http), { IncomingMessage: DirectRequest });
  let stopped: Promise<void> | undefined;

  function nudgeEverywhere(queues: readonly string[]): void {
    bot.nudge(queues);
    notices.publish(queues);
  }

  return {
    webhooks: receiver.router,
    http,
    ledger: store.ledger,
    standings: services.standings,
    async start({ listen = true } = {}) {
      const shouldListen = listen && stopped === undefined;
      const address = shouldListen ? await server.listen(config.http.host, config.http.port) : null;
      if (stopped !== undefined) return null;
      bot.start();
      notices.start();
      dueReplays.start();
      upkeep.start();
      announcementLoop.start();
      linkedRoles?.start();
      if (config.reminders) services.reminderLoop.start();
      logConfigWarnings(config, log);
      if (address !== null) log.info({ url: address.url }, 'receiving webhooks');
      return address?.url ?? null;
    },
    reloadSecrets({ listings }) {
      const replaceLookups = lookups.prepare(listings);
      replaceLookups();
      directory.replace(listingsByGuild(listings));
    },
    stop() {
      stopped ??= (async () => {
        await Promise.all([
          ...[server.close(), bot.stop(), dueReplays.stop(), upkeep.stop()],
          ...[services.reminderLoop.stop(), announcementLoop.stop(), linkedRoles?.stop()],
        ]);
        notices.stop();
        await settleWithin(closeTimeoutMs, clock, cache.disconnect());
        await settleWithin(closeTimeoutMs, clock, store.close());
        log.info('stopped');
      })();
      return stopped;
    },
  };
}

/** By component. */
function readinessChecks(store: Store, bot: Bot) {
  const probeStore = coalesce(store.probe, second);
  return {
    store: async () => {
      // Not cached: `doctor` relies on this to know that the database file is the one in use.
      store.checkFiles();
      await probeStore();
    },
    discord: async () => {
      if (!bot.isConnected) throw new Error('not connected to the gateway');
    },
  } satisfies ReadinessChecks;
}

interface AppParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onRecorded: (recorded: RecordedDelivery, queues: readonly string[]) => void;
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
