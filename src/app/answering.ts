import type { UnlocalizedContext } from '../../commands/context.ts';
import type { SetupChecks, SetupServices } from '../../commands/setup-services.ts';
import type { DiscordConfig } from '../../config/schema.ts';
import type { DescriptionContext } from '../discord/commands/command.ts';
import { createGatewayClient, type GatewayClient } from '../discord/gateway/gateway-client.ts';
import { createOwnClientGateway, type DiscordClient } from '../discord/gateway/own-client.ts';
import { createSharedGateway } from '../discord/gateway/shared-gateway.ts';
import { createGuildChannels } from '../discord/guild-channels.ts';
import { fetchApplicationId, fetchShardCount } from '../discord/inspection.ts';
import {
  createInteractionsEndpoint,
  type InteractionsEndpoint,
  interactionsPath,
} from '../discord/interactions/endpoint.ts';
import { warnOfEndpoint } from '../discord/interactions/endpoint-warning.ts';
import { createInteractions } from '../discord/interactions/interactions.ts';
import { createRestTransports } from '../discord/interactions/rest-transport.ts';
import type { CommandPlace } from '../discord/interactions/run-command.ts';
import type { CommandRegistry } from '../discord/registration/command-registry.ts';
import { createRegistrar } from '../discord/registration/registrar.ts';
import type { DiscordRest } from '../discord/rest.ts';
import type { ReminderService } from '../features/reminders/service.ts';
import { createRoleAccess } from '../features/roles/role-access.ts';
import type { MemberSeen } from '../features/roles/seen-members.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { BodyMemory } from '../platform/http/body-memory.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { LeaseStore } from '../platform/leases/lease-store.ts';
import type { Log } from '../platform/log.ts';
import { createLoop } from '../platform/loop.ts';
import { memoizeOne } from '../platform/memoize.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { DiscordAccess } from './discord-access.ts';

/** Responds to commands, through the gateway or over HTTP. */
export interface Answering {
  /** Whether every shard is connected to the gateway; null without one. */
  isConnected(): boolean | null;
  /** Other processes have all shards; this one takes over if one of them ends. */
  isStandby(): boolean;
  /** Interactions over HTTP; null with the gateway. */
  readonly endpoint: InteractionsEndpoint | null;
  /** Connects to the gateway, if it is used, and registers the commands. */
  start(): void;
  /** Registers the commands again if what they offer has changed. */
  offerChanged(): void;
  /** Responses in progress may finish within a few seconds. */
  stop(): Promise<void>;
}

export interface AnsweringDependencies {
  /** The roles are inspected with the bot's own connection. */
  readonly setup: Omit<SetupServices, 'checks'> & { readonly checks: Omit<SetupChecks, 'roleAccess' | 'channelsOf'> };
  /** What a command can use where it is used. Returns the same object for the same settings. */
  readonly contextFor: (place: CommandPlace) => BotContext | Promise<BotContext>;
  /** What registered commands offer, with the listings of all communities. */
  readonly offer: () => Omit<DescriptionContext, 'texts'>;
  readonly clock: Clock;
  readonly reminders: ReminderService;
  readonly commandRegistry: CommandRegistry;
  readonly onMemberSeen: MemberSeen;
  /** Without a trailing slash; null if it is not known. */
  readonly publicUrl: string | null;
  /** Whether to read the notices for members from time to time, which announcing does in its own process. */
  readonly refreshesNotices: boolean;
  /** To share the gateway's shards with other processes; null if there can be none. */
  readonly leases: LeaseStore | null;
  /** Called when the gateway is connected, for the first time or again. */
  readonly onConnected: () => void;
  /** Shared by all unverified bodies. */
  readonly memory: BodyMemory;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  readonly log: Log;
  /** Real time, for the connection to Discord. */
  readonly stopwatch: Clock;
  /** The caller's connection to the gateway; null for one of our own. */
  readonly client: DiscordClient | null;
}

/** The part of a command's context that is not added here. */
export type BotContext = Omit<UnlocalizedContext, 'commands' | 'commandId' | 'setup'>;

/** How often notices of other processes are read (ms). */
const noticesPollMs = 30 * second;
/** How long to wait before the application is requested again (ms). */
const retryDelayMs = 5 * second;

export function createAnswering(
  discord: DiscordConfig,
  { rest, globalLimit, invalidRequests, memberLanguages, guildChanged, commands }: DiscordAccess,
  dependencies: AnsweringDependencies,
): Answering {
  const { contextFor, offer, clock, reminders, commandRegistry, onMemberSeen, metrics, log, stopwatch } = dependencies;
  const stopping = new AbortController();
  const registrar = createRegistrar({
    rest,
    guildId: discord.guildId,
    commands,
    offer,
    registry: commandRegistry,
    clock,
    log,
  });
  const roleAccess = createRoleAccess({ rest, clock: stopwatch, log });
  const channelsOf = createGuildChannels({ rest, clock: stopwatch, log });
  const setup = { ...dependencies.setup, checks: { ...dependencies.setup.checks, roleAccess, channelsOf } };
  const complete = memoizeOne((context: BotContext): UnlocalizedContext => {
    return { ...context, commands, commandId: registrar.idOf, setup };
  });
  const interactions = createInteractions({
    commands,
    clock,
    contextFor(place) {
      const context = contextFor(place);
      return context instanceof Promise ? context.then(complete) : complete(context);
    },
    stopped: stopping.signal,
    tracing: dependencies.tracing,
    noticeFor: (userId, texts) => reminders.noticeFor(userId, { texts, commandId: registrar.idOf }),
    isOwnCommand: registrar.isOwn,
    log,
    onAnswered(command, outcome, tookMs) {
      metrics.commands.inc({ command, outcome });
      metrics.commandSeconds.observe({ command }, tookMs / second);
    },
    onMemberSeen(input, command) {
      if (command.leadsToDirectMessages) memberLanguages.note(input);
      onMemberSeen(input);
    },
  });
  const { makeRequest } = invalidRequests;
  const transports = createRestTransports({ apiUrl: discord.apiUrl, globalLimit, makeRequest });
  const endpoint =
    discord.publicKey === null
      ? null
      : createInteractionsEndpoint({
          ...{ publicKey: discord.publicKey, handle: interactions, transports, clock, stopwatch, log },
          memory: dependencies.memory,
          observe: (status) => metrics.interactionRequests.inc({ status }),
        });
  const gateway =
    endpoint !== null
      ? null
      : createGateway(dependencies, rest, {
          ...{ ...discord, clock: stopwatch, log, globalLimit, makeRequest },
          onInteraction: (interaction) => interactions(interaction, transports(interaction)),
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

  const notices = createLoop({
    round: reminders.refreshNotices,
    pauseMs: noticesPollMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'notices to members could not be read'),
    clock: stopwatch,
  });

  return {
    isConnected: () => gateway?.ready ?? null,
    isStandby: () => gateway !== null && 'isStandby' in gateway && gateway.isStandby === true,
    endpoint,
    start() {
      gateway?.start();
      void register();
      if (dependencies.refreshesNotices) notices.start();
      const { publicUrl } = dependencies;
      const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
      void warnOfEndpoint({ publicKey: discord.publicKey, url }, { rest, log });
    },
    offerChanged: registrar.update,
    async stop() {
      stopping.abort();
      registrar.stop();
      await Promise.all([gateway?.stop(), endpoint?.stop(), notices.stop()]);
    },
  };
}

function createGateway(
  { client, leases }: Pick<AnsweringDependencies, 'client' | 'leases'>,
  rest: DiscordRest,
  options: Parameters<typeof createGatewayClient>[0],
): GatewayClient {
  if (client !== null)
    return createOwnClientGateway({ ...options, client, fetchApplicationId: () => fetchApplicationId(rest) });
  if (leases === null) return createGatewayClient(options);
  return createSharedGateway({ ...options, leases, fetchShardCount: () => fetchShardCount(rest) });
}
