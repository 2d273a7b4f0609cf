import { messageOf } from '@tallyhook/platform/errors';
import type { Interaction } from 'discord.js';
import { type APIInteraction, GatewayDispatchEvents } from 'discord-api-types/v10';
import type { GatewayClient, GatewayOptions } from './gateway-client.ts';
import { guildChangeEvents, guildChangeOf } from './guild-changes.ts';

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
/** When a shard can have become ready. */
const connectionEvents = ['shardReady', 'shardResume', 'clientReady'];

/** Receives interactions from a client of the caller's, to whom those of other programs are left. */
export function createOwnClientGateway(
  options: Pick<GatewayOptions, 'log' | 'onInteraction' | 'onGuildChange' | 'onReady'> & {
    readonly client: DiscordClient;
    /** The application of the token that messages are sent with. */
    readonly fetchApplicationId: () => Promise<string>;
    /** True if discord.js emits the interaction for {@link onNative}. */
    readonly isNative: (interaction: APIInteraction) => boolean;
    readonly onNative: (interaction: Interaction) => void;
  },
): GatewayClient {
  const { client, fetchApplicationId, log, onInteraction, isNative, onNative } = options;
  const { onGuildChange = () => {}, onReady } = options;
  let isChecked = false;
  let isStarted = false;

  const isReady = () => client.isReady() && client.ws.shards.every(({ status }) => status === readyStatus);

  function receive(interaction: APIInteraction): void {
    if (!isNative(interaction)) onInteraction(interaction);
  }

  function receiveNative(interaction: unknown): void {
    onNative(interaction as Interaction);
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

  function listen(change: 'on' | 'off'): void {
    client.ws[change](GatewayDispatchEvents.InteractionCreate, receive);
    client[change]('interactionCreate', receiveNative);
    for (const [event, listener] of guildListeners) client.ws[change](event, listener);
    for (const event of connectionEvents) client[change](event, onConnection);
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
      listen('on');
      onConnection();
    },
    async stop() {
      listen('off');
    },
  };
}
