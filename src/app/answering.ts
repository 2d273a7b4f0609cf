import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { second } from '@tallyhook/platform/durations';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import type { BodyMemory } from '@tallyhook/platform/http/body';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Command, UnlocalizedContext } from '../../commands/context.ts';
import type { Config } from '../../config/schema.ts';
import { createCardSource } from '../core/announcements/listing-card.ts';
import { createDispatcher } from '../core/outbox/dispatcher.ts';
import type { ClaimedEffect } from '../core/outbox/effect.ts';
import type { EffectNotices } from '../core/outbox/effect-notices.ts';
import { guardPerform } from '../core/outbox/guard-perform.ts';
import { createPerform } from '../core/outbox/perform.ts';
import { parseQueue } from '../core/outbox/queue.ts';
import type { QueueShare } from '../core/outbox/queue-share.ts';
import type { RegistrationContext } from '../discord/commands/command.ts';
import { listingsTarget, offersAt } from '../discord/commands/offers.ts';
import { type GatewayClient, GatewayConnection, type GatewayOptions } from '../discord/gateway/gateway-client.ts';
import { createOwnClientGateway, type DiscordClient } from '../discord/gateway/own-client.ts';
import { SharedGateway } from '../discord/gateway/shared-gateway.ts';
import { fetchApplicationId, fetchShardCount } from '../discord/inspection.ts';
import { createInteractionsEndpoint, interactionsPath } from '../discord/interactions/endpoint.ts';
import { warnOfEndpoint } from '../discord/interactions/endpoint-settings.ts';
import {
  type AnyInteraction,
  Interactions,
  type IsOwnCommand,
  isOwnInteraction,
} from '../discord/interactions/interactions.ts';
import { InteractionRelay, NativeInteractions } from '../discord/interactions/native-interactions.ts';
import { createRestTransports } from '../discord/interactions/responses.ts';
import type { CommandRegistry } from '../discord/registration/command-shape.ts';
import { CommandRegistrar } from '../discord/registration/registrar.ts';
import { createReachabilityProbe, type DiscordRest } from '../discord/rest.ts';
import { createAnnouncementLoop } from '../features/announcements/loop.ts';
import type { CommandContexts } from '../features/communities/command-context.ts';
import { type CompleteContext, createParts, type Services, type Shared } from '../features/create.ts';
import { createDirectMessageHandler } from '../features/notifications/direct-message.ts';
import { createOwnerReportHandler } from '../features/notifications/owner-report.ts';
import type { ServicesContext } from '../features/parts.ts';
import type { Store } from '../features/store.ts';
import type { DiscordAccess } from './discord-access.ts';

interface AnsweringDependencies extends Pick<ServicesContext, 'languages' | 'metrics' | 'clock' | 'stopwatch' | 'log'> {
  readonly contexts: Pick<CommandContexts, 'at' | 'offer' | 'guildIds'>;
  readonly services: Pick<Services, 'noticesFor' | 'onMemberSeen' | 'loops'>;
  readonly commandRegistry: CommandRegistry;
  /** To share the gateway's shards with other processes; null if there can be none. */
  readonly leases: LeaseStore | null;
  /** Called when the gateway is connected, for the first time or again. */
  readonly onConnected: () => void;
  /** Shared by all unverified bodies. */
  readonly memory: BodyMemory;
  /** The caller's connection to the gateway; null for one of our own. */
  readonly client: DiscordClient | null;
  /** Commands that are not offered, but whose buttons may be under earlier messages. */
  readonly retired: readonly Command[];
}

/** How long to wait before the application is requested again (ms). */
const retryDelayMs = 5 * second;
/** For responses to interactions that are in progress when the program stops. */
const responseTimeoutMs = 3 * second;

export type Answering = ReturnType<typeof createAnswering>;

/** Responds to commands, through the gateway or over HTTP. */
export function createAnswering(
  { discord, publicUrl }: Pick<Config, 'discord' | 'publicUrl'>,
  { rest, globalLimit, invalidRequests, memberLanguages, guildChanged, commands }: DiscordAccess,
  dependencies: AnsweringDependencies,
) {
  const { contexts, services, clock, commandRegistry, metrics, log, stopwatch } = dependencies;
  const stopping = new AbortController();
  const registrar = new CommandRegistrar({
    rest,
    guildId: discord.guildId,
    commands,
    offer: contexts.offer,
    knownGuilds: contexts.guildIds,
    registry: commandRegistry,
    sharing: discord.publicKey !== null ? 'never' : dependencies.client !== null ? 'known' : 'possible',
    clock,
    log,
  });
  const commandId = (name: string) => registrar.idOf(name);
  const isOwnCommand: IsOwnCommand = (command, interactionId) => registrar.isOwn(command, interactionId);
  /** What registered commands offer since the last change. */
  let offered = '';
  function onAnswered(command: string, outcome: 'answered' | 'failed', tookMs: number): void {
    metrics.commands.inc({ command, outcome });
    metrics.commandSeconds.observe({ command }, tookMs / second);
  }

  const interactions = new Interactions({
    languages: dependencies.languages,
    commands,
    retired: dependencies.retired,
    clock,
    contextFor: async (place): Promise<UnlocalizedContext> => {
      return { ...(await contexts.at(place)), commands, commandId };
    },
    stopped: stopping.signal,
    async noticeFor(userId, texts) {
      for (const noticeFor of services.noticesFor) {
        const notice = await noticeFor(userId, { texts, commandId });
        if (notice !== null) return notice;
      }
      return null;
    },
    isOwnCommand,
    onAnsweredByAnother: () => registrar.noteOtherAnswer(),
    log,
    onAnswered,
    onMemberSeen(input, command) {
      if (command.leadsToDirectMessages) memberLanguages.note(input);
      for (const onMemberSeen of services.onMemberSeen) onMemberSeen(input);
    },
  });
  const { makeRequest } = invalidRequests;
  const transports = createRestTransports({ apiUrl: discord.apiUrl, globalLimit, makeRequest });
  const endpoint =
    discord.publicKey === null
      ? null
      : createInteractionsEndpoint({
          publicKey: discord.publicKey,
          handle: (interaction, transport) => interactions.handle(interaction, transport),
          transports,
          clock,
          stopwatch,
          log,
          memory: dependencies.memory,
          observe: (status) => metrics.interactionRequests.inc({ status }),
        });
  const native = new NativeInteractions({
    languages: dependencies.languages,
    commands,
    isOwnCommand,
    onAnswered,
    clock,
    log,
  });
  if (!native.isEmpty && endpoint !== null) throw needsGateway(commands);
  const relay =
    native.isEmpty || dependencies.client !== null
      ? null
      : new InteractionRelay(native, { ...discord, makeRequest }, log);
  const responding = new Set<Promise<void>>();
  function track(response: Promise<void>): void {
    const responded = response.finally(() => responding.delete(responded));
    responding.add(responded);
  }
  const gateway =
    endpoint !== null
      ? null
      : createGateway(dependencies, rest, {
          ...discord,
          clock: stopwatch,
          log,
          globalLimit,
          makeRequest,
          onInteraction(interaction) {
            const isRelayed = relay !== null && native.takes(interaction);
            track(isRelayed ? relay.handle(interaction) : interactions.handle(interaction, transports(interaction)));
          },
          isNative: (interaction) => native.takes(interaction),
          onNative: (interaction) => track(native.handle(interaction)),
          onIdentified: (ready) => relay?.identified(ready),
          onGuildChange: guildChanged,
          onReady(applicationId) {
            registrar.start(applicationId);
            dependencies.onConnected();
          },
        });

  /** Usually faster than the gateway, so that commands are registered before the first interaction. */
  async function register(): Promise<void> {
    while (!stopping.signal.aborted) {
      const applicationId = await fetchApplicationId(rest).catch(() => null);
      if (applicationId !== null) return registrar.start(applicationId);
      await stopwatch.sleep(retryDelayMs, stopping.signal);
    }
  }

  return {
    /** Whether every shard is connected to the gateway; null without one. */
    isConnected: (): boolean | null => gateway?.ready ?? null,
    /** Other processes have all shards; this one takes over if one of them ends. */
    isStandby: () => gateway?.isStandby ?? false,
    /** Interactions over HTTP; null with the gateway. */
    endpoint,
    owns: (interaction: AnyInteraction) =>
      isOwnInteraction(interaction, (command, interactionId) => registrar.isKnown(command, interactionId)),
    /** Connects to the gateway, if it is used, and registers the commands. */
    start(): void {
      offered = describeOffer(contexts.offer());
      gateway?.start();
      void register();
      for (const loop of services.loops) loop.start();
      const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
      void warnOfEndpoint({ publicKey: discord.publicKey, url }, { rest, log });
    },
    /** Registers the commands again if what they offer has changed, which most settings do not. */
    offerChanged(): void {
      const current = describeOffer(contexts.offer());
      if (current === offered) return;
      offered = current;
      registrar.update();
    },
    /** Responses in progress may finish within a few seconds. */
    async stop(): Promise<void> {
      stopping.abort();
      registrar.stop();
      await Promise.all([gateway?.stop(), endpoint?.stop(), ...services.loops.map((loop) => loop.stop())]);
      await settleWithin(responseTimeoutMs, stopwatch, Promise.all(responding));
      await relay?.stop();
    },
  };
}

function describeOffer({ listings, isShared, lacks }: RegistrationContext): string {
  const described = listings.map(({ name, displayName, lookup, site, isSilent }) => {
    return [name, displayName?.(), lookup.kind, site, isSilent];
  });
  return JSON.stringify([described, isShared, lacks]);
}

/** Commands in discord.js's shape get its interactions. */
function needsGateway(commands: readonly Command[]): TallyhookError {
  const name = commands.find(({ native }) => native !== undefined)?.name;
  return new TallyhookError(
    'command_needs_gateway',
    `The command /${name} is in discord.js's shape, and commands arrive over HTTP.`,
    { hint: 'Leave out the public key of the application, or write the command as a CustomCommand.' },
  );
}

function createGateway(
  { client, leases }: Pick<AnsweringDependencies, 'client' | 'leases'>,
  rest: DiscordRest,
  options: GatewayOptions & Pick<Parameters<typeof createOwnClientGateway>[0], 'isNative' | 'onNative'>,
): GatewayClient {
  if (client !== null)
    return createOwnClientGateway({ ...options, client, fetchApplicationId: () => fetchApplicationId(rest) });
  if (leases === null) return new GatewayConnection(options);
  return new SharedGateway({ ...options, leases, fetchShardCount: () => fetchShardCount(rest) });
}

interface AnnouncingDependencies
  extends Omit<
    CompleteContext,
    keyof DiscordAccess | keyof Shared | 'channelTexts' | 'guildTexts' | 'memberTexts' | 'cardOf' | 'voteButtons'
  > {
  readonly store: Store;
  /** How often to look for effects of other processes (ms); null to find them within about 2 s. */
  readonly newEffectsPollMs: number | null;
  readonly queueShare: QueueShare;
  readonly notices: Pick<EffectNotices, 'listen'>;
  /** The community whose turn a queue takes in the outbox. */
  readonly communityOfQueue: (queue: string) => string;
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/** Processes the outbox, and fills it by time. It needs no gateway. */
export async function createAnnouncing(access: DiscordAccess, shared: Shared, dependencies: AnnouncingDependencies) {
  const { store, directory, nudge, newEffectsPollMs, metrics, clock, log, queueShare } = dependencies;
  const { rest, guard, guildLanguages, memberLanguages, commands } = access;
  const list = listingsTarget(commands);
  const parts = await createParts({
    ...access,
    ...shared,
    ...dependencies,
    channelTexts: guildLanguages.ofChannel,
    guildTexts: guildLanguages.ofGuild,
    memberTexts: memberLanguages.textsOf,
    cardOf: createCardSource(
      dependencies.lookups,
      (listing) => ((directory.communityOf(listing)?.named.length ?? 0) > 1 ? list : null),
      clock,
    ),
    voteButtons: (texts) => offersAt('vote', commands, texts),
  });
  const perform = createPerform([
    ...parts.effects,
    createDirectMessageHandler({
      rest,
      types: parts.directMessages,
      onClosed: parts.onDirectMessagesClosed,
      textsOf: memberLanguages.textsOf,
      clock,
    }),
    createOwnerReportHandler({ rest, types: parts.ownerReports, textsOf: guildLanguages.ofChannel }),
  ]);
  const dispatcher = createDispatcher({
    outbox: store.outbox,
    perform: guardPerform(perform, guard),
    isReachable: createReachabilityProbe(rest),
    communityOf: dependencies.communityOfQueue,
    // The calls of handlers are left to the processes that have them; what sites confirm has a dispatcher of its own.
    isOwn: (queue) => !['handler', 'confirmation'].includes(parseQueue(queue).type) && queueShare.isOwn(queue),
    clock,
    log,
    newEffectsPollMs,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      dependencies.onAttempted(effects, attempt);
    },
  });
  dependencies.notices.listen(dispatcher.nudge);
  guard.onProbeDue(dispatcher.resume);
  /** Kept as long as the settings of the community are the same: tasks remember failures. */
  const tasksOf = memoizeOne(parts.tasks);
  const announcementLoop = createAnnouncementLoop({
    tasks: () => directory.communities.flatMap(tasksOf),
    prepare: parts.prepareTasks,
    onEnqueued: (queue) => nudge([queue]),
    clock,
    log,
  });
  const loops = [announcementLoop, ...parts.loops];

  return {
    start(): void {
      queueShare.start(dispatcher.rediscover);
      dispatcher.start();
      for (const loop of loops) loop.start();
    },
    /** Makes waiting effects due: Discord was reached again. */
    wake(): void {
      dispatcher
        .wake()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'waiting effects could not be made due'));
    },
    async stop(): Promise<void> {
      await Promise.all([dispatcher.stop().then(queueShare.stop), ...loops.map((loop) => loop.stop())]);
    },
  };
}
