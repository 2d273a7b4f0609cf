import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { createPage } from '../page/page.ts';
import type { PagePorts } from '../page/ports.ts';
import { Commands, type StoredCommand } from './commands.ts';
import { createConsentPage } from './consent-page.ts';
import { type DefaultGuildOptions, defaultGuild, type Person, type RoleIds } from './default-guild.ts';
import type { RecordedRequest } from './diagnostics.ts';
import { httpExchanges, sentDispatches, storedMessages } from './diagnostics.ts';
import { DiscordState } from './discord-state.ts';
import type { StateChange } from './events.ts';
import { createFaultControls, type FaultControls, InjectedFaults } from './faults.ts';
import { Files } from './files.ts';
import { Gateway, type RecordedIdentify } from './gateway.ts';
import { createGuildControls, type GuildControls } from './guild-controls.ts';
import { InteractionCallbacks } from './interaction-callbacks.ts';
import { Interactions } from './interactions.ts';
import { MemberClient } from './member-client.ts';
import { Messages } from './messages.ts';
import { type AuthorizationControls, OAuth } from './oauth.ts';
import type { Message } from './objects.ts';
import { OutgoingInteractions } from './outgoing-interactions.ts';
import { exportState, type PersistedState, restoreState } from './persistence.ts';
import { idsWithoutBot } from './places-without-bot.ts';
import { RateLimits } from './rate-limits.ts';
import { createRest } from './rest.ts';
import { type LinkedRoleControls, RoleConnections } from './role-connections.ts';
import { allRoutes } from './routes/all.ts';
import { listen } from './server.ts';
import type { SentDispatch } from './session.ts';
import type {
  AutocompleteAction,
  Choice,
  CommandAction,
  ComponentAction,
  InteractionHandle,
  ModalAction,
} from './user-actions.ts';

export interface LocalDiscordOptions extends DefaultGuildOptions {
  /** 0 (default) selects a free port. */
  readonly port?: number;
  /** The address to listen on (default: 127.0.0.1). */
  readonly host?: string;
  /** Simulated time, for ids and timestamps. */
  readonly clock?: Clock;
  /** Real time, for timeouts, rate limits, heartbeats, outages and the lifetime of nonces. */
  readonly stopwatch?: Clock;
  readonly log?: Log;
  /** False disables rate limits. */
  readonly rateLimits?: boolean;
  /** Milliseconds (default: 41,250, as on Discord). */
  readonly heartbeatInterval?: number;
  /** The privileged intents that are enabled for the application (bit set; default: none). */
  readonly grantedIntents?: number;
  /** How many shards may identify in 5 s; the sessions of others are invalid. No limit by default. */
  readonly maxConcurrency?: number;
  /** The state from an earlier run. */
  readonly initialState?: PersistedState | null;
  /** Serves the page at `/`, with the listing service behind these ports. @internal */
  readonly page?: PagePorts;
}

/** A Discord server for tests and the sandbox: one guild, a few members, and a client for each of them. */
export interface LocalDiscord {
  /** For DISCORD_API_URL; discord.js adds `/v10`. */
  readonly apiUrl: string;
  readonly gatewayUrl: string;
  /** The base URL of the page, without a trailing slash. */
  readonly origin: string;
  /** Resolves when the page can be served. @throws TallyhookError `page_not_bundled` */
  pageReady(): Promise<void>;
  readonly token: string;
  readonly applicationId: string;
  /** The key that interactions over HTTP are signed with (hex). */
  readonly publicKey: string;
  /** Where interactions are sent; null for the gateway. */
  readonly interactionsEndpoint: string | null;
  readonly guildId: string;
  /** Ids; the bot is in neither the guild of `otherGuild` nor the `group`, where members use the app of their account. */
  readonly channels: {
    readonly general: string;
    readonly announcements: string;
    readonly premium: string;
    readonly otherGuild: string;
    readonly group: string;
  };
  /** Ids; `bot` is the bot's own role, `moderator` and `owner` are above it, the others below. */
  readonly roles: RoleIds;
  readonly members: readonly Person[];
  /** Whether a bot is connected to the gateway. */
  readonly connected: boolean;
  readonly faults: FaultControls;
  /** Changes of roles and members that people make on Discord. */
  readonly guild: GuildControls;
  /** For DISCORD_CLIENT_SECRET. */
  readonly clientSecret: string;
  /** The permissions that members have given: `deauthorize`, `expireAccessTokens`. */
  readonly oauth: AuthorizationControls;
  /** Linked roles: what the application has published, the members' connections, and the owner's `linkRole`. */
  readonly connections: LinkedRoleControls;
  /** All requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** All dispatches sent to bots, oldest first. */
  readonly dispatches: readonly SentDispatch[];
  /** All identifies of bots, oldest first. */
  readonly identifies: readonly RecordedIdentify[];
  readonly events: EventEmitter<{ change: [StateChange]; request: [RecordedRequest] }>;

  /** Uses a slash command as a member. @throws RejectedByClientError if the client would not send it */
  runCommand(action: CommandAction): InteractionHandle;
  /** Clicks a button of a message. @throws RejectedByClientError */
  clickButton(messageId: string, customId: string, userId: string): InteractionHandle;
  /** Submits a select. @throws RejectedByClientError */
  select(action: ComponentAction): InteractionHandle;
  /** Types in an option with autocomplete; resolves with the bot's choices. @throws RejectedByClientError */
  autocomplete(action: AutocompleteAction): Promise<readonly Choice[]>;
  /** Submits a modal that the bot opened for a member. @throws RejectedByClientError */
  submitModal(action: ModalAction): InteractionHandle;
  /** `#votes`, or "a direct message"; undefined for an unknown channel. */
  channelName(channelId: string): string | undefined;
  /** The messages of a channel, oldest first: visible to all, visible to one member, or (null) all including ephemeral ones. */
  messages(channelId: string, viewerId?: string | null): readonly Message[];
  /** The direct messages of a member, oldest first. */
  directMessages(userId: string): readonly Message[];
  /** The ids of a member's roles. */
  rolesOf(userId: string): readonly string[];
  /** The state to pass to the next run as `initialState`. */
  exportState(): PersistedState;
  /** The commands available in the guild. */
  commands(): readonly StoredCommand[];
  stop(): Promise<void>;
}

/**
 * Starts the server; it is listening when the promise resolves.
 * @throws TallyhookError `cannot_listen`
 * @example
 * ```ts
 * import { Client } from 'discord.js';
 * import { startLocalDiscord } from 'tallyhook/sandbox';
 *
 * const discord = await startLocalDiscord();
 * const bot = new Client({ intents: [], rest: { api: discord.apiUrl } });
 * bot.on('interactionCreate', async (interaction) => {
 *   if (interaction.isChatInputCommand()) await interaction.reply('Pong!');
 * });
 * bot.once('clientReady', async ({ application }) => {
 *   await application.commands.create({ name: 'ping', description: 'Replies with Pong!' }, discord.guildId);
 *   const [member] = discord.members;
 *   const ping = { name: 'ping', userId: member?.id ?? '', channelId: discord.channels.general };
 *   const { content } = await discord.runCommand(ping).settled; // 'Pong!'
 *   await bot.destroy();
 *   await discord.stop();
 * });
 * await bot.login(discord.token);
 * ```
 */
export async function startLocalDiscord(options: LocalDiscordOptions = {}): Promise<LocalDiscord> {
  const { clock = systemClock, stopwatch = systemClock, log } = options;
  const stopping = new AbortController();
  const server = await listen(options.port ?? 0, options.host ?? '127.0.0.1');
  const { origin, gatewayUrl } = server;

  const defaults = defaultGuild(options);
  const token = newToken(defaults.bot.id);
  const requests: RecordedRequest[] = [];
  const dispatches: SentDispatch[] = [];
  const events = new EventEmitter<{ change: [StateChange]; request: [RecordedRequest] }>();

  const state = new DiscordState(clock, defaults);
  const files = new Files(origin, state.nextId);
  const messages = new Messages(state, stopwatch);
  if (options.initialState) restoreState(state, messages, options.initialState);
  const commands = new Commands(state);
  const interactions = new Interactions(state, stopwatch, stopping.signal);
  const callbacks = new InteractionCallbacks(state, messages, interactions, files);
  const outgoing = new OutgoingInteractions({
    ...{ callbacks, applicationId: state.applicationId, clock, log },
    onExchange: ({ interactionId, callback, status, error }) =>
      httpExchanges.publish({
        at: clock.now(),
        method: 'POST',
        path: `/interactions/${interactionId}/{token}/callback`,
        ...{ query: '', headers: {}, body: callback, status, response: error },
      }),
  });
  const client = new MemberClient(state, commands, messages, interactions, files, outgoing);
  const guild = createGuildControls(state);
  const oauth = new OAuth(state, clock);
  const connections = new RoleConnections(state);
  oauth.onRevoked = (userId) => connections.deleteConnection(userId);
  const faults = new InjectedFaults(stopwatch);
  const gateway = new Gateway({
    state,
    url: gatewayUrl,
    token,
    stopwatch,
    stopped: stopping.signal,
    heartbeatInterval: options.heartbeatInterval ?? 41_250,
    grantedIntents: options.grantedIntents ?? 0,
    maxConcurrency: options.maxConcurrency ?? null,
    onDispatch: (dispatch) => {
      dispatches.push(dispatch);
      sentDispatches.publish(dispatch);
    },
  });
  const rest = createRest({
    routes: allRoutes({ state, commands, messages, files, callbacks, outgoing, gatewayUrl, oauth, connections }),
    token,
    faults,
    limits: options.rateLimits === false ? undefined : new RateLimits(stopwatch),
    clock,
    stopwatch,
    log,
    onExchange: (exchange) => {
      const { response: _answer, ...request } = exchange;
      requests.push(request);
      events.emit('request', request);
      // OAuth2's own requests are not in Discord's OpenAPI document.
      if (!exchange.path.startsWith('/oauth2/token')) httpExchanges.publish(exchange);
    },
  });
  state.events.on('change', (change) => {
    events.emit('change', change);
    if (change.kind === 'message') storedMessages.publish(change.message);
  });
  const page = options.page
    ? createPage({
        state,
        messages,
        commands,
        client,
        guild,
        ports: options.page,
        stopped: stopping.signal,
        stopwatch,
        log,
      })
    : undefined;
  server.serve({ rest, gateway, faults, files, consent: createConsentPage(state, oauth), page: page?.handle });

  return {
    apiUrl: `${origin}/api`,
    gatewayUrl,
    origin,
    pageReady: async () => page?.ready(),
    token,
    applicationId: state.applicationId,
    publicKey: outgoing.publicKey,
    get interactionsEndpoint() {
      return outgoing.url;
    },
    guildId: state.guildId,
    channels: {
      general: defaults.general.id,
      announcements: defaults.announcements.id,
      premium: defaults.premium.id,
      ...idsWithoutBot,
    },
    roles: defaults.roleIds,
    members: defaults.people,
    get connected() {
      return gateway.connected;
    },
    faults: createFaultControls(faults, state, gateway),
    guild,
    clientSecret: oauth.clientSecret,
    oauth,
    connections,
    requests,
    dispatches,
    identifies: gateway.identifies,
    events,
    runCommand: (action) => client.runCommand(action),
    clickButton: (messageId, customId, userId) => client.useComponent({ messageId, customId, userId }),
    select: (action) => client.useComponent(action),
    autocomplete: (action) => client.autocomplete(action),
    submitModal: (action) => client.submitModal(action),
    channelName: (channelId) => {
      const channel = state.channels.get(channelId);
      if (channel?.type === 1) return 'a direct message';
      return channel?.type === 0 ? `#${channel.name}` : channel?.name;
    },
    messages: (channelId, viewerId) => messages.in(channelId, viewerId),
    directMessages: (userId) => {
      const channel = state.findDirectChannel(userId);
      return channel === undefined ? [] : messages.in(channel.id);
    },
    rolesOf: (userId) => state.members.get(userId)?.roles ?? [],
    exportState: () => exportState(state, messages),
    commands: () => commands.availableIn(state.guildId),
    stop: async () => {
      stopping.abort();
      gateway.stop();
      await server.close();
    },
  };
}

/** A token in Discord's format, with a random last part. */
function newToken(applicationId: string): string {
  return [Buffer.from(applicationId).toString('base64url'), 'local', randomBytes(24).toString('base64url')].join('.');
}
