import { second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { BodyMemory } from '@tallyhook/platform/http/body';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Command, UnlocalizedContext } from '../../commands/context.ts';
import type { Config } from '../../config/schema.ts';
import type { RegistrationContext } from '../discord/commands/command.ts';
import { type GatewayClient, GatewayConnection, type GatewayOptions } from '../discord/gateway/gateway-client.ts';
import { createOwnClientGateway, type DiscordClient } from '../discord/gateway/own-client.ts';
import { SharedGateway } from '../discord/gateway/shared-gateway.ts';
import { fetchApplicationId, fetchShardCount } from '../discord/inspection.ts';
import { createInteractionsEndpoint, interactionsPath, warnOfEndpoint } from '../discord/interactions/endpoint.ts';
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
import { type DiscordRest } from '../discord/rest.ts';
import type { CommandContexts } from '../features/communities/command-context.ts';
import { type Services } from '../features/create.ts';
import type { ServicesContext } from '../features/parts.ts';
import type { DiscordAccess } from './discord-access.ts';

interface AnsweringDependencies extends Pick<ServicesContext, 'languages' | 'metrics' | 'clock' | 'stopwatch' | 'log'> {
  readonly contexts: Pick<CommandContexts, 'at' | 'offer' | 'guildIds'>;
  readonly services: Pick<Services, 'noticesFor' | 'onMemberSeen' | 'loops'>;
  readonly commandRegistry: CommandRegistry;
  /** To share the gateway's shards with other processes; null if there can be none. */
  readonly leases: LeaseStore | null;
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
  { rest, globalLimit, guard, memberLanguages, guildChanged, commands }: DiscordAccess,
  dependencies: AnsweringDependencies,
) {
  const { contexts, services, clock, commandRegistry, metrics, log, stopwatch } = dependencies;
  const stopping = new AbortController();
  const registrar = new CommandRegistrar({
    rest,
    guildId: discord.guildId,
    commands,
    offer: () => contexts.offer(),
    knownGuilds: () => contexts.guildIds(),
    registry: commandRegistry,
    sharing: discord.publicKey !== null ? 'never' : dependencies.client !== null ? 'known' : 'possible',
    clock,
    log,
  });
  const commandId = (name: string) => registrar.idOf(name);
  const isOwnCommand: IsOwnCommand = (command, interactionId) => registrar.isOwn(command, interactionId);
  /** Listings and needs with which the commands were registered last. */
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
  const { makeRequest } = guard;
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
    /** True if every shard is connected to the gateway; null without one. */
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
