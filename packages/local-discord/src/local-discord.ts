import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { systemClock } from '@tallyhook/platform/clock';
import { adaptLogger } from '@tallyhook/platform/logger';
import { requireNode } from '@tallyhook/platform/node-version';
import type { SentDispatch } from './connection.ts';
import { defaultGuild } from './default-guild.ts';
import { httpExchanges, type RecordedRequest, sentDispatches, storedMessages } from './diagnostics.ts';
import { createConsentPage, createInvitePages } from './discord-pages.ts';
import { createStore } from './discord-store.ts';
import { createFaults } from './faults.ts';
import { filesOf } from './files.ts';
import { Gateway } from './gateway.ts';
import { createGuildControls } from './guild-controls.ts';
import { InteractionCallbacks } from './interaction-callbacks.ts';
import type { LocalDiscord, LocalDiscordOptions } from './local-discord-interface.ts';
import { MemberClient } from './member-client.ts';
import { isInGuild } from './objects.ts';
import { createSigningKey, OutgoingInteractions } from './outgoing-interactions.ts';
import { createPage } from './page/page.ts';
import { exportState, restoreState } from './persistence.ts';
import { idsWithoutBot } from './places-without-bot.ts';
import { RateLimits } from './rate-limits.ts';
import { createRest } from './rest.ts';
import { allRoutes } from './routes/all.ts';
import { listen } from './server.ts';

export type { LocalDiscord, LocalDiscordOptions };

/**
 * Starts the server; it is listening when the promise resolves.
 * @throws LocalDiscordError `cannot_listen`
 * @example
 * ```ts
 * import { Client } from 'discord.js';
 * import { startLocalDiscord } from 'local-discord';
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
  requireNode();
  const { clock = systemClock, stopwatch = systemClock } = options;
  const log = options.log && adaptLogger(options.log).log;
  const stopping = new AbortController();
  const timing = { clock, stopwatch, stopped: stopping.signal };
  const server = await listen(options.port ?? 0, options.host ?? '127.0.0.1');
  const { origin, gatewayUrl } = server;

  const defaults = defaultGuild(options);
  const token = options.token ?? createToken(defaults.bot.id, randomBytes(24));
  const requests: RecordedRequest[] = [];
  const dispatches: SentDispatch[] = [];
  const events: LocalDiscord['events'] = new EventEmitter();

  const store = createStore(defaults, timing, origin, options.applications);
  const { state, messages, commands, oauth, connections } = store;
  if (options.initialState) restoreState(store, options.initialState);
  const callbacks = new InteractionCallbacks(store);
  const outgoing = new OutgoingInteractions(state, callbacks, createSigningKey(sha256(token)), log);
  const client = new MemberClient(store, outgoing);
  const guild = createGuildControls(store);
  const gateway = new Gateway({
    state,
    url: gatewayUrl,
    token,
    heartbeatInterval: options.heartbeatInterval ?? 41_250,
    grantedIntents: options.grantedIntents ?? 0,
    maxConcurrency: options.maxConcurrency ?? null,
    onDispatch: (dispatch) => {
      dispatches.push(dispatch);
      sentDispatches.publish(dispatch);
    },
  });
  const faults = createFaults(state, gateway);
  const rest = createRest({
    routes: allRoutes(store, callbacks, outgoing, gatewayUrl),
    token,
    faults,
    limits: options.rateLimits === false ? undefined : new RateLimits(stopwatch),
    timing,
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
  const { page: isPageServed = false, pageExtension: extension } = options;
  const speed = options.clock?.speed ?? 1;
  const pictures = options.pictures ?? {};
  const page =
    isPageServed || extension ? createPage({ store, client, guild, pictures, speed, extension, log }) : undefined;
  const pages = { consent: createConsentPage(store), invites: createInvitePages(store), page: page?.handle };
  server.serve({ rest, gateway, faults, files: store.files, pictures: filesOf(pictures), ...pages });

  const { applicationId, guildId } = state;
  const apiUrl = `${origin}/api`;
  return {
    apiUrl,
    gatewayUrl,
    origin,
    pageReady: async () => page?.ready(),
    token,
    get botEnvironment() {
      // Directs discord.js to the server that the variables name, before a bot starts.
      const preload = new URL('./direct-discordjs.js', import.meta.url);
      return {
        DISCORD_TOKEN: token,
        DISCORD_API_URL: apiUrl,
        CLIENT_ID: applicationId,
        GUILD_ID: guildId,
        NODE_OPTIONS: `--import=${preload.href}`,
      };
    },
    applicationId,
    publicKey: outgoing.publicKey,
    get interactionsEndpoint() {
      return outgoing.url;
    },
    setInteractionsEndpoint: (url) => outgoing.setUrl(url),
    guildId,
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
    faults: faults.controls,
    guild,
    clientSecret: oauth.clientSecret,
    oauth,
    connections,
    requests,
    dispatches,
    identifies: gateway.identifies,
    events,
    runCommand: (action) => client.runCommand(action),
    runUserCommand: (action) => client.runUserCommand(action),
    clickButton: (messageId, customId, userId) => client.useComponent({ messageId, customId, userId }),
    select: (action) => client.useComponent(action),
    autocomplete: (action) => client.autocomplete(action),
    submitModal: (action) => client.submitModal(action),
    channelName: (channelId) => {
      const channel = state.channels.get(channelId);
      if (channel?.type === 1) return 'a direct message';
      return channel && isInGuild(channel) ? `#${channel.name}` : channel?.name;
    },
    messages: (channelId, viewerId) => messages.in(channelId, viewerId),
    directMessages: (userId) => messages.in(state.findDirectChannel(userId)?.id ?? ''),
    rolesOf: (userId) => state.members.get(userId)?.roles ?? [],
    exportState: () => exportState(store),
    commands: () => commands.availableIn(guildId),
    stop: async () => {
      stopping.abort();
      gateway.stop();
      await server.close();
    },
  };
}

/** A token in Discord's format: the id of the application, and a secret. */
export function createToken(applicationId: string, secret: Buffer): string {
  return [Buffer.from(applicationId).toString('base64url'), 'local', secret.toString('base64url')].join('.');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
