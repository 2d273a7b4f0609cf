import type { RESTOptions } from '@discordjs/rest';
import { WebSocketShardEvents as ShardEvents, type WebSocketManager } from '@discordjs/ws';
import type { Clock } from '@tallyhook/platform/clock';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { ChatInputCommandInteraction, Client, Interaction } from 'discord.js';
import {
  type APIInteraction,
  ApplicationCommandType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayOpcodes,
  type GatewayReadyDispatchData,
  InteractionType,
  MessageFlags,
} from 'discord-api-types/v10';
import type { AppTexts } from '../../texts/texts.ts';
import type { CommandDefinition, NativeFunctions } from '../commands/command.ts';
import { isOwnCustomId } from '../rendering/components.ts';
import { renderReply } from '../rendering/message.ts';
import { createErrorReplies } from './error-replies.ts';
import type { IsOwnCommand } from './interactions.ts';

interface NativeInteractionsOptions {
  readonly commands: readonly (CommandDefinition & { readonly native?: NativeFunctions })[];
  /** May reject. */
  readonly isOwnCommand: IsOwnCommand;
  /** Called after the function has ended; `tookMs` is measured from the interaction on. */
  readonly onAnswered: (command: string, outcome: 'answered' | 'failed', tookMs: number) => void;
  readonly languages: AppTexts;
  readonly clock: Clock;
  readonly log: Log;
}

/** The interactions that discord.js handles: of commands in its own shape, and the components that these post. */
export class NativeInteractions {
  readonly #options: NativeInteractionsOptions;
  readonly #commands: ReadonlyMap<string, NativeFunctions>;
  readonly #errors: ReturnType<typeof createErrorReplies>;

  constructor(options: NativeInteractionsOptions) {
    this.#options = options;
    this.#commands = new Map(
      options.commands.flatMap(({ name, native }) => (native === undefined ? [] : [[name, native] as const])),
    );
    this.#errors = createErrorReplies(options);
  }

  /** True if no command is in the shape of discord.js, so that no interaction needs it. */
  get isEmpty(): boolean {
    return this.#commands.size === 0;
  }

  /** True if discord.js handles the interaction. */
  takes(interaction: APIInteraction): boolean {
    if (this.isEmpty) return false;
    switch (interaction.type) {
      case InteractionType.ApplicationCommand:
        return interaction.data.type === ApplicationCommandType.ChatInput && this.#commands.has(interaction.data.name);
      case InteractionType.ApplicationCommandAutocomplete:
        return this.#commands.has(interaction.data.name);
      case InteractionType.MessageComponent:
      case InteractionType.ModalSubmit:
        return !isOwnCustomId(interaction.data.custom_id);
      default:
        return false;
    }
  }

  /** Runs the command of an interaction that discord.js emits. Never rejects: errors are logged, and reported to the member. */
  async handle(interaction: Interaction): Promise<void> {
    if (!interaction.isChatInputCommand() && !interaction.isAutocomplete()) return;
    const { id, commandId, commandName: name, commandType: type, commandGuildId: scope } = interaction;
    const { isOwnCommand, log } = this.#options;
    try {
      const command = this.#commands.get(name);
      if (command === undefined || !(await isOwnCommand({ id: commandId, name, type, scope }, id))) return;
      if (interaction.isAutocomplete()) await command.autocomplete(interaction);
      else await this.#run(interaction, command);
    } catch (error) {
      log.warn({ command: name, reason: messageOf(error) }, 'a command could not be answered');
    }
  }

  async #run(interaction: ChatInputCommandInteraction, command: NativeFunctions): Promise<void> {
    const { commandName: name, locale, guildLocale } = interaction;
    const { clock, languages, onAnswered } = this.#options;
    const startedAt = clock.monotonic();
    try {
      await command.execute(interaction);
      onAnswered(name, 'answered', clock.monotonic() - startedAt);
    } catch (error) {
      onAnswered(name, 'failed', clock.monotonic() - startedAt);
      const { embeds } = renderReply(this.#errors.ofError(name, error, languages.for(locale, guildLocale)), name);
      const reply = { embeds, flags: MessageFlags.Ephemeral } as const;
      await (interaction.deferred || interaction.replied ? interaction.followUp(reply) : interaction.reply(reply));
    }
  }
}

interface RelayAccess {
  readonly token: string;
  readonly apiUrl: string;
  readonly makeRequest: RESTOptions['makeRequest'];
}

interface RelayedClient {
  readonly client: Client;
  readonly manager: WebSocketManager;
}

/**
 * Passes interactions that arrive at tallyhook's connection to a discord.js client, which makes objects of them and emits
 * them. The client has no connection of its own: its sharding strategy, an option of discord.js, only relays. discord.js is
 * loaded with it.
 */
export class InteractionRelay {
  readonly #native: NativeInteractions;
  readonly #access: RelayAccess;
  readonly #log: Log;
  readonly #running = new Set<Promise<void>>();
  #opening: Promise<RelayedClient> | undefined;

  constructor(native: NativeInteractions, access: RelayAccess, log: Log) {
    this.#native = native;
    this.#access = access;
    this.#log = log;
  }

  /** Tells the client who it is, and in which guilds. */
  identified(ready: GatewayReadyDispatchData): void {
    this.#opening ??= this.#open();
    this.#opening = this.#opening.then(async (relayed) => {
      const { client, manager } = relayed;
      const isReady = client.isReady() || new Promise((resolve) => client.once('clientReady', resolve));
      manager.emit(ShardEvents.Ready, { data: ready, shardId: 0 });
      emitDispatch(manager, { t: GatewayDispatchEvents.Ready, d: ready });
      await isReady;
      return relayed;
    });
    this.#opening.catch((error: unknown) => this.#log.error({ reason: messageOf(error) }, 'discord.js cannot be used'));
  }

  /** Resolves when the interaction was handled. Never rejects. */
  async handle(interaction: APIInteraction): Promise<void> {
    const relayed = await this.#opening?.catch(() => undefined);
    if (relayed === undefined) return;
    emitDispatch(relayed.manager, { t: GatewayDispatchEvents.InteractionCreate, d: interaction });
    await Promise.all(this.#running);
  }

  async stop(): Promise<void> {
    const relayed = await this.#opening?.catch(() => undefined);
    await relayed?.client.destroy();
  }

  async #open(): Promise<RelayedClient> {
    const { Client, Events } = await import('discord.js');
    const { token, apiUrl, makeRequest } = this.#access;
    const created = Promise.withResolvers<WebSocketManager>();
    const client = new Client({
      intents: [],
      shards: [0],
      shardCount: 1,
      rest: {
        ...{ api: apiUrl, version: '10' },
        makeRequest: async (url, init) => (url.endsWith('/gateway/bot') ? relayInformation() : makeRequest(url, init)),
      },
      ws: {
        buildStrategy(manager) {
          created.resolve(manager);
          const fetchStatus = () => Promise.reject(new Error('The client has no connection.'));
          return { connect() {}, destroy() {}, send() {}, spawn() {}, fetchStatus };
        },
      },
    });
    client.on(Events.InteractionCreate, (interaction) => {
      const handling = this.#native.handle(interaction).finally(() => this.#running.delete(handling));
      this.#running.add(handling);
    });
    await client.login(token);
    return { client, manager: await created.promise };
  }
}

/** Stands for Discord's response about the gateway, to which the client does not connect. Discord: "Get Gateway Bot". */
function relayInformation(): Response {
  const session_start_limit = { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 };
  return Response.json({ url: 'wss://relayed.invalid', shards: 1, session_start_limit });
}

function emitDispatch(manager: WebSocketManager, event: Pick<GatewayDispatchPayload, 't' | 'd'>): void {
  const data = { op: GatewayOpcodes.Dispatch, s: 0, ...event } as GatewayDispatchPayload;
  manager.emit(ShardEvents.Dispatch, { data, shardId: 0 });
}
