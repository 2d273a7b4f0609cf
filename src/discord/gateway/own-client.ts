import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Events, type Interaction } from 'discord.js';
import type { APIInteraction } from 'discord-api-types/v10';
import type { NativeInteractions } from '../interactions/native-interactions.ts';
import type { GatewayClient } from './gateway-client.ts';
import { type GuildChange, guildChangeEvents, guildChangeOf } from './guild-changes.ts';

/**
 * The part of a discord.js `Client` that is used. Your program creates it, logs it in and destroys it.
 * @category Commands
 */
export interface DiscordClient {
  readonly application: { readonly id: string } | null;
  readonly options: { readonly intents: { readonly bitfield: number } };
  readonly ws: {
    on(event: string, listener: (data: APIInteraction) => void): unknown;
    off(event: string, listener: (data: APIInteraction) => void): unknown;
    readonly shards: { every(predicate: (shard: { readonly status: number }) => boolean): boolean };
  };
  isReady(): boolean;
  on(event: string, listener: (data: unknown) => void): unknown;
  off(event: string, listener: (data: unknown) => void): unknown;
}

/** Discord: "Gateway Intents". */
const guildsIntent = 1 << 0;
/** discord.js: `Status.Ready`. */
const readyStatus = 0;
const interactionEvent = 'INTERACTION_CREATE';
/** When a shard can have become ready. */
const connectionEvents = ['shardReady', 'shardResume', 'clientReady'];
/** For responses to interactions that are in progress when the program stops. */
const responseTimeoutMs = 3 * second;

/**
 * Receives interactions from a client of the caller's, without changing it. Interactions of other commands, buttons and
 * modals are left to the caller.
 */
export function createOwnClientGateway(options: {
  readonly client: DiscordClient;
  /** The application of the token that messages are sent with. */
  readonly fetchApplicationId: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Must not reject. */
  readonly onInteraction: (interaction: APIInteraction) => Promise<void>;
  readonly native?: NativeInteractions | null;
  /** Must not throw. */
  readonly onGuildChange?: (change: GuildChange) => void;
  /** Called when all shards are connected, for the first time or again. Must not throw. */
  readonly onReady: (applicationId: string) => void;
}): GatewayClient {
  const {
    client,
    native = null,
    fetchApplicationId,
    clock,
    log,
    onInteraction,
    onGuildChange = () => {},
    onReady,
  } = options;
  const pendingResponses = new Set<Promise<void>>();
  let isChecked = false;
  let isStarted = false;

  const isReady = () => client.isReady() && client.ws.shards.every(({ status }) => status === readyStatus);

  function receive(interaction: APIInteraction): void {
    if (native?.takes(interaction) !== true) track(onInteraction(interaction));
  }

  function receiveNative(interaction: unknown): void {
    if (native !== null) track(native.handle(interaction as Interaction));
  }

  function track(responding: Promise<void>): void {
    const response = responding.finally(() => pendingResponses.delete(response));
    pendingResponses.add(response);
  }

  const guildListeners = guildChangeEvents.map((event) => {
    const listener = (data: unknown): void => {
      const change = guildChangeOf(event, data);
      if (change !== null) onGuildChange(change);
    };
    return [event, listener] as const;
  });

  /** A client with the token of another application gets the interactions of that one. */
  async function checkApplication(clientsId: string): Promise<void> {
    const id = await fetchApplicationId();
    if (id === clientsId) return;
    log.error(
      { application: id, clientsApplication: clientsId, hint: 'Pass the token of your client (DISCORD_TOKEN).' },
      'the client is logged in as another application than that of the token, so commands get no response',
    );
  }

  function onConnection(): void {
    const id = client.application?.id;
    if (id === undefined || !isReady()) return;
    if (!isChecked) {
      isChecked = true;
      checkApplication(id).catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'the application of the token could not be compared'),
      );
    }
    onReady(id);
  }

  return {
    get ready() {
      return isStarted && isReady();
    },
    start() {
      if (isStarted) return;
      isStarted = true;
      if ((client.options.intents.bitfield & guildsIntent) === 0) {
        log.warn(
          { hint: 'Add GatewayIntentBits.Guilds to the intents of your client.' },
          'the client has no intent for guilds: commands work, but client.guilds is empty for your handlers',
        );
      }
      client.ws.on(interactionEvent, receive);
      if (native !== null) client.on(Events.InteractionCreate, receiveNative);
      for (const [event, listener] of guildListeners) client.ws.on(event, listener);
      for (const event of connectionEvents) client.on(event, onConnection);
      onConnection();
    },
    async stop() {
      client.ws.off(interactionEvent, receive);
      client.off(Events.InteractionCreate, receiveNative);
      for (const [event, listener] of guildListeners) client.ws.off(event, listener);
      for (const event of connectionEvents) client.off(event, onConnection);
      await settleWithin(responseTimeoutMs, clock, Promise.all(pendingResponses));
    },
  };
}
