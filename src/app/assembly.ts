import type { Clock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { second } from '@tallyhook/platform/durations';
import { createEncryption } from '@tallyhook/platform/encryption/encryption';
import { messageOf } from '@tallyhook/platform/errors';
import { createHttpApp } from '@tallyhook/platform/http/app';
import { BodyMemory, DirectRequest } from '@tallyhook/platform/http/body';
import { createHealth } from '@tallyhook/platform/http/health';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { createLifecycle } from '@tallyhook/platform/lifecycle';
import type { Log } from '@tallyhook/platform/log';
import type { Redactor } from '@tallyhook/platform/redactor';
import { createPublicResolve, shareQueries, systemResolve } from '@tallyhook/platform/webhooks/target';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { chooseCommands } from '../../commands/custom-command.ts';
import { commandsFor } from '../../commands/index.ts';
import type { Config } from '../../config/schema.ts';
import { roles as allRoles, type Role } from '../../config/settings.ts';
import { logConfigWarnings, logDoubts, logShortSecrets } from '../../config/warnings.ts';
import { createMetrics } from '../core/metrics.ts';
import { createEffectNotices, noticesThrough } from '../core/outbox/effect-notices.ts';
import type { SubscribedKind } from '../core/outbox/handler-events.ts';
import { communityOfQueues, targetOfQueue } from '../core/outbox/queue.ts';
import { createQueueShare, shareOfRequests } from '../core/outbox/queue-share.ts';
import { createWorker } from '../core/outbox/worker.ts';
import { noWebhooks } from '../core/receiving/receiver.ts';
import { createReplayHandler } from '../core/receiving/replay.ts';
import { commandDataOf } from '../discord/registration/registration.ts';
import { createReachabilityProbe } from '../discord/rest.ts';
import { createAnnouncements } from '../features/announcements/announcements.ts';
import { CommandContexts } from '../features/communities/command-context.ts';
import type { CommunityIds } from '../features/communities/community-ids.ts';
import { createKnownTargets, standingsOfOnly } from '../features/communities/directory.ts';
import { createComparedListings } from '../features/communities/lookup-clients.ts';
import { createConfirmationHandler } from '../features/confirmations/confirm.ts';
import { createLedger } from '../features/corrections/program-ledger.ts';
import { createServices } from '../features/create.ts';
import { audienceOf, createAudienceLoop, withAudiences } from '../features/events/audiences.ts';
import { requestsPerEndpoint, WebhookSender } from '../features/events/sender.ts';
import { createEventUpkeep } from '../features/events/upkeep.ts';
import { createHandling } from '../features/handlers/handling.ts';
import { createVotePictures } from '../features/pictures/vote-pictures.ts';
import { createAddresses } from '../features/public-pages/addresses.ts';
import { createSettings } from '../features/settings/in-effect.ts';
import type { Store } from '../features/store.ts';
import { createUpkeep } from '../features/upkeep/upkeep.ts';
import type { openKeyv } from '../lookup/open-keyv.ts';
import { createOwnerApp } from '../owner/create-owner.ts';
import { EventStream } from '../owner/event-stream.ts';
import type { AppTexts } from '../texts/texts.ts';
import { createAnnouncing } from './announcing.ts';
import { createAnswering } from './answering.ts';
import type { App } from './app-interface.ts';
import { createDiscordAccess } from './discord-access.ts';
import type { InternalDependencies } from './internal-dependencies.ts';
import { readinessChecks } from './readiness-checks.ts';
import { createForeignBytesReport, createReceiving, createRecording, noteProgram } from './receiving.ts';

type Cache = Awaited<ReturnType<typeof openKeyv>>;

/** For the cache and the database each: a server that does not respond must not delay the shutdown. */
const closeTimeoutMs = 2 * second;

/** Tells other processes, in place of the name of a queue, that settings were changed. */
const settingsNotice = 'settings';

/** How long the transaction of an event may take to commit after one that began later, on a database server (ms). */
const commitDelayMs = 3 * second;

/** How often to look for announcements of other processes, on a database server (ms). */
const sharedDatabasePollMs = second / 5;

/** Parts of an app that were opened for it, or that its caller passed. */
export interface AppParts extends Omit<InternalDependencies, 'clock' | 'log'> {
  readonly config: Config;
  readonly languages: AppTexts;
  readonly store: Store;
  readonly cache: Cache;
  readonly communityIds: CommunityIds;
  readonly clock: Clock;
  readonly log: Log;
  /** Hides the secrets that communities store in the log. */
  readonly redact: Pick<Redactor, 'add'>;
}

/** Creates all components from the configuration. The app may be used when `loadSettings` is done. */
export async function assembleApp(parts: AppParts): Promise<{ app: App; loadSettings: () => Promise<void> }> {
  const { config, languages, cache, communityIds, clock, log, redact, stopwatch = clock } = parts;
  const { wrapListener = (listener) => listener, onRecorded, onAttempted = () => {} } = parts;
  const store = withAudiences(parts.store, (id) => {
    const community = directory.communities.find((each) => each.id === id);
    return community && audienceOf(community, isHandled('stream'));
  });
  /** Other processes may use the same database. */
  const isShared = sqlitePathOf(config.databaseUrl) === null;
  const metrics = createMetrics();
  const memory = new BodyMemory();
  const kit = { metrics, clock, stopwatch, log };
  const { directory, lookups, targets, targetLoop } = createComparedListings(config, {
    ...kit,
    ...{ store, communityIds, cache },
    // Discord is reached with what the listings are needed for first.
    inDiscord: { known: (...of) => access.names.known(...of), find: (...of) => access.names.find(...of) },
  });
  const notices = createEffectNotices(noticesThrough(config.cacheUrl, clock));
  const newEffectsPollMs = isShared ? sharedDatabasePollMs : null;
  const ledgerIn = (guildId?: string | null) => createLedger({ store, directory, clock }, guildId);
  const handling = createHandling({
    ...kit,
    ...{ notices, handlers: parts.handlers ?? {}, ledgerIn, store, isShared },
    isStreamed: config.ownerToken !== null,
  });
  const encryption = createEncryption(config.encryption, ({ problem, hint }) => log.warn({ hint }, problem));
  const addresses = createAddresses({ store, directory, clock });
  const settings = createSettings(config, {
    ...kit,
    store: store.settings,
    encryption,
    directory,
    addCommunities: (guildIds) => communityIds.add(guildIds),
    lookups,
    targets,
    redact,
    issuesWithOthers: addresses.issuesOf,
    onSaved: () => notices.publish([settingsNotice]),
    alsoRefresh: handling.subscriptions.refresh,
  });
  notices.listen((queues) => {
    if (queues.includes(settingsNotice)) settings.loop.wake();
  });
  const has = (role: Role) => config.roles.includes(role);
  const lifecycle = createLifecycle({ name: 'app', log });
  const ledger = lifecycle.whileOpen(ledgerIn());
  const commands = chooseCommands(commandsFor(config), parts.commands, { caller: 'createApp', ledger });
  const announcements = createAnnouncements(directory);
  const leases = isShared ? store.leases : null;
  const queueShare = createQueueShare(leases, { clock: stopwatch, log });
  const access = createDiscordAccess(config, {
    ...kit,
    languages,
    announcements,
    memberLocales: store.memberLocales,
    store,
    guildOfChannel: (channelId) => directory.inChannel(channelId)[0]?.guildId ?? null,
    commands: commands.offered,
    requestsPerSecond: () => shareOfRequests(isShared, has('announce') ? queueShare.processes() : null),
  });
  const isHandled = (kind: SubscribedKind) => handling.subscriptions.kinds().includes(kind);
  const drawVotePicture = createVotePictures({
    timeZoneOf: (listing) => directory.communityOf(listing)?.timeZone ?? 'UTC',
    votesPerDayIn: store.votesPerDayIn,
    log,
  });
  const claimRecorder = handling.recording.claims(store.recorder);
  const common = { ...kit, config, languages, store, directory, lookups, drawVotePicture, isHandled, claimRecorder };
  const recorded = { ...common, nudge: notices.nudge };
  const recording = createRecording({
    ...recorded,
    recorder: handling.recording.recorder(store.recorder),
    onRecorded,
  });
  const context = { ...recorded, replay: recording.replay };
  const webhookTargets = {
    allowLoopback: false,
    allowPrivate: config.webhookPrivateTargets,
    // Names of the operator's network may be known to this machine alone.
    resolve: shareQueries(config.webhookPrivateTargets ? systemResolve : createPublicResolve()),
  };
  const webhookSender = new WebhookSender({ ...context, targets: webhookTargets, settings: settings.setup });
  const services = await createServices({
    ...context,
    webhookSender,
    rest: access.rest,
    findDeparted: access.findDeparted,
    encryption,
    setup: settings.setup,
    compareTargets: targetLoop.compare,
    addresses,
  });
  const contexts = new CommandContexts({ ...context, services });
  const announcing = has('announce')
    ? await createAnnouncing(access, services.shared, {
        ...context,
        announcements,
        leases,
        settings: {
          isOperators: (guildId) => settings.sync.base.sources.some((source) => source.guildId === guildId),
          refresh: settings.sync.refresh,
        },
      })
    : null;
  const answering = has('answer')
    ? createAnswering(config, access, {
        ...context,
        contexts,
        services,
        memory,
        leases,
        commandRegistry: store.commandRegistry,
        client: parts.client ?? null,
        retired: commands.retired,
        onConnected: () => wakeWorker(),
      })
    : null;
  directory.onChange((guildIds) => {
    for (const guildId of guildIds) access.guard.changed({ guildId, channelId: null });
    answering?.offerChanged();
  });
  metrics.watch({
    waitingTransactions: store.waiting,
    effects: store.outbox.sizes,
    waitingSince: () => store.outbox.waitingSince(clock.now(), new Set(access.guard.open.map(({ target }) => target))),
    isConnected: () => answering?.isConnected() ?? null,
    invalidRequests: access.guard.invalidRequests,
    stopped: () => access.guard.count(),
    pausedGuilds: () => access.guard.pausedGuilds.size,
    keys: lookups.keyStatuses,
    now: clock.now,
  });

  const isOwnShare = announcing === null ? {} : { discord: queueShare.isOwn, members: queueShare.isOwn };
  const worker = createWorker({
    ...kit,
    outbox: store.outbox,
    handlers: [
      ...(announcing?.handlers ?? []),
      handling.handler,
      webhookSender.handler,
      createReplayHandler(recording),
      createConfirmationHandler(context),
    ],
    owns: { ...isOwnShare, handlers: handling.isOwn, webhooks: () => true, ledger: () => true },
    attemptsPerQueue: { handlers: handling.attemptsPerQueue, webhooks: requestsPerEndpoint },
    isOneByOne: webhookSender.mayHang,
    communityOf: communityOfQueues(directory),
    isReachable: createReachabilityProbe(access.rest),
    guard: access.guard,
    notices,
    newEffectsPollMs,
    onAttempted,
  });
  access.guard.onProbeDue((target) => worker.resume(target));
  /** Makes waiting effects due: Discord was reached again. */
  function wakeWorker(): void {
    worker
      .wake()
      .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'waiting effects could not be made due'));
  }
  const processing = {
    start(): void {
      if (announcing !== null) queueShare.start(() => worker.rediscover());
      worker.start();
    },
    async stop(): Promise<void> {
      await worker.stop();
      handling.abortCalls();
      webhookSender.close();
      if (announcing !== null) await queueShare.stop();
    },
  };
  const { isUnreadable } = settings.sync;
  const receiving = has('receive')
    ? createReceiving({
        ...recording,
        directory,
        isUnreadable,
        memory,
        linkedQuota: config.linkedQuota,
        targetIdOf: createKnownTargets({ directory, targets, clock }),
      })
    : null;
  const usesDiscord = announcing !== null || answering !== null;
  const upkeep = createUpkeep({
    ...kit,
    store,
    keep: config.keep,
  });
  const loops = [
    createAudienceLoop({ ...context, isStreamed: () => isHandled('stream') }),
    createEventUpkeep({ ...context, isStreamed: () => isHandled('stream') }),
    settings.loop,
    targetLoop,
    ...(usesDiscord ? [access.guard] : []),
    // A process that only receives may be the only one.
    ...(announcing === null && receiving === null ? [] : [upkeep]),
    ...(announcing?.loops ?? []),
  ];

  const checks = readinessChecks(store, config.roles, { answering, access, sync: settings.sync });
  const health = createHealth({
    checks: checks.process,
    roles: new Map(allRoles.map((role) => [role, has(role) ? checks.roles[role] : null])),
    metrics,
    isStopping: lifecycle.isStopping,
    isStandby: () => answering?.isStandby() ?? false,
  });
  const stream = new EventStream({
    events: store.events,
    keep: handling.subscriptions.stream,
    settleMs: isShared ? commitDelayMs : 0,
    listen: notices.listen,
    clock: { ...stopwatch, now: clock.now },
  });
  const owner = createOwnerApp(config, {
    ...recording,
    stream,
    languages,
    rest: access.rest,
    setup: services.shared.setupServices,
    signInLinks: parts.signInLinks,
    checks: checks.process,
    directory,
    communityIds,
    keyStatus: lookups.keyStatus,
    cards: services.cards,
    nudge(queue) {
      access.guard.replayed(targetOfQueue(queue));
      notices.nudge([queue]);
    },
  });
  const routes = receiving?.receiver ?? noWebhooks;
  const express = createHttpApp({ health, owner, pages: services.routes, memory, log });
  const withoutCommands = routes.withFallback(express);
  const http = wrapListener(answering?.endpoint?.withFallback(withoutCommands) ?? withoutCommands);
  const onForeignBytes = createForeignBytesReport(kit);
  const server = createHttpServer(http, { IncomingMessage: DirectRequest, onForeignBytes });
  const app: App = {
    webhooks: routes.webhooks,
    fetch: routes.fetch,
    node: routes.node,
    http,
    ledger,
    standings: lifecycle.whileOpen(standingsOfOnly(directory, store.standingsIn)),
    start: lifecycle.startOnce(async ({ listen = true } = {}) => {
      // Before the first connection, so that no delivery of a restart is rejected.
      if (!lifecycle.isStopping()) receiving?.open();
      const { host, port } = config.http;
      const address = listen && !lifecycle.isStopping() ? await server.listen(host, port) : null;
      if (lifecycle.isStopping()) return null;
      processing.start();
      answering?.start();
      notices.start();
      receiving?.start();
      for (const loop of loops) loop.start();
      logConfigWarnings(config, directory.listings, log);
      logShortSecrets(config.listings, log);
      logDoubts(directory.listings, log);
      const names = answering === null ? null : commands.offered.map(({ name }) => name);
      void noteProgram(store, config.listings, names, log);
      if (address !== null)
        log.info({ roles: config.roles, url: address.url }, receiving === null ? 'listening' : 'receiving webhooks');
      return address?.url ?? null;
    }),
    commandData: () =>
      commandDataOf({ commands: commands.offered, context: contexts.offer(), guildId: config.discord.guildId }),
    ...lifecycle.whileOpen({ postServerCount: services.shared.serverCounts.post }),
    owns: (interaction) => answering?.owns(interaction) ?? false,
    reloadSecrets: ({ base }) => settings.sync.replaceBase(base),
    stop: lifecycle.stopOnce(async () => {
      stream.close();
      const running = [receiving, processing, answering, ...loops];
      await Promise.all([server.close(), ...running.map((part) => part?.stop())]);
      notices.stop();
      receiving?.close();
      lifecycle.close();
      await settleWithin(closeTimeoutMs, clock, cache.disconnect());
      await settleWithin(closeTimeoutMs, clock, store.close());
      parts.onStopped?.();
      log.info('stopped');
    }),
  };
  async function loadSettings(): Promise<void> {
    await Promise.all([settings.sync.load(), handling.subscriptions.refresh()]);
    if (has('answer') && config.listings.length === 0) await settings.prepareKey();
    if (usesDiscord) await access.guard.load();
  }
  return { app, loadSettings };
}
