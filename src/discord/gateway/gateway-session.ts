import { RateLimitError, type RESTOptions } from '@discordjs/rest';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { LogThrottled } from '@tallyhook/platform/throttled-log';
import {
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  type Interaction,
  type SessionInfo,
  SimpleShardingStrategy,
  Status,
  type WebSocketOptions,
} from 'discord.js';
import {
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  GatewayIntentBits,
  Routes,
} from 'discord-api-types/v10';
import { z } from 'zod';
import { type GlobalRateLimit, hasRetryAfter, retryDelayOf, retryMarginMs } from '../rate-limit.ts';
import { type GuildChange, guildChangeEvents, guildChangeOf } from './guild-changes.ts';
import type { IdentifyThrottle } from './identify-throttle.ts';
import { findOpeningConnections } from './opening-connections.ts';

/** A shard of the gateway: one of `count`. */
export interface Shard {
  readonly id: number;
  readonly count: number;
}

/**
 * Why a session ended for good. `token`: Discord rejects the bot token. `settings`: Discord rejects the intents, shard
 * or API version. `sharding`: Discord requires more shards. `sessions`: Discord allows no more sessions today.
 */
export interface GatewaySessionEnd {
  readonly cause: 'token' | 'settings' | 'sharding' | 'sessions' | 'unreachable';
  readonly reason: string;
  /** Rate limit of the request that failed (ms). */
  readonly retryAfterMs?: number;
}

/** One discord.js client, from login to close. Until it ends, discord.js reconnects its shards. */
export type GatewaySession = ReturnType<typeof openGatewaySession>;

/** How Discord is reached. */
export interface GatewayAccess {
  readonly token: string;
  /** Without the version: `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly globalLimit: GlobalRateLimit;
  /** Observes the requests of this client. */
  readonly makeRequest?: RESTOptions['makeRequest'];
}

const settingsCloseCodes: readonly number[] = [
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.InvalidAPIVersion,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
];

/**
 * Logs in immediately, with one shard, or with as many as Discord recommends. Never throws: a failed login ends the
 * session.
 */
export function openGatewaySession(
  options: GatewayAccess & {
    /** The only shard; null for all. */
    shard: Shard | null;
    logThrottled: LogThrottled;
    /** Shared by consecutive sessions, like `globalLimit`. */
    identifyThrottle: IdentifyThrottle;
    onInteraction: (interaction: APIInteraction) => void;
    /** Whether discord.js gets the interaction, which it makes an object of. */
    isNative: (interaction: APIInteraction) => boolean;
    onNative: (interaction: Interaction) => void;
    /** Must not throw. */
    onGuildChange: (change: GuildChange) => void;
    /** A shard became ready or was lost. */
    onChange: () => void;
  },
) {
  const { makeRequest, token, apiUrl, shard, logThrottled, identifyThrottle, globalLimit } = options;
  const { onInteraction, isNative, onNative, onGuildChange, onChange } = options;
  let closed = false;
  let strategy: SimpleShardingStrategy | undefined;

  const client = new Client({
    // With the intent for guilds, discord.js would wait for all of them before it is ready: see `takeEvents`.
    intents: [],
    ...(shard === null ? { shards: 'auto' } : { shards: [shard.id], shardCount: shard.count }),
    rest: {
      api: apiUrl,
      version: '10',
      retries: 1,
      timeout: 5 * second,
      offset: retryMarginMs,
      ...(makeRequest && { makeRequest }),
      rejectOnRateLimit: (limit) => {
        globalLimit.observe(limit);
        // The gateway client waits before the next session. Otherwise an abandoned client would still send its request
        // after the limit.
        return limit.route === Routes.gatewayBot() || !hasRetryAfter(limit);
      },
    },
    ws: {
      buildStrategy(manager) {
        takeEvents(manager, {
          onInteraction: (interaction) => !closed && onInteraction(interaction),
          isNative: (interaction) => !closed && isNative(interaction),
          onGuildChange: (change) => !closed && onGuildChange(change),
        });
        strategy = new SimpleShardingStrategy(withShortTimeouts(manager, () => closed));
        return strategy;
      },
      async buildIdentifyThrottler(manager) {
        const { session_start_limit } = await manager.fetchGatewayInformation();
        return identifyThrottle.forSession(session_start_limit.max_concurrency, () => closed);
      },
    },
  });

  client.on(Events.InteractionCreate, (interaction) => !closed && onNative(interaction));
  client.on(Events.ClientReady, onChange);
  client.on(Events.ShardReady, onChange);
  client.on(Events.ShardResume, onChange);
  client.on(Events.ShardReconnecting, onChange);
  // Log only the message: the errors contain URLs, and those of interactions contain tokens.
  client.on(Events.Error, (error) =>
    logThrottled('error', 'client error', 'discord.js client error', { reason: error.message }),
  );
  client.on(Events.ShardError, (error, shard) =>
    logThrottled('warn', 'shard error', 'a gateway connection failed', { shard, reason: error.message }),
  );
  client.on(Events.Warn, (reason) => logThrottled('warn', 'client warning', 'discord.js client warning', { reason }));

  const ended = new Promise<GatewaySessionEnd>((resolve) => {
    client.on(Events.ShardDisconnect, ({ code }) => resolve(endAfterClose(code)));
    client.login(token).catch((error: unknown) => resolve(endAfterFailedLogin(error)));
  });

  const shardsReady = () => (closed ? 0 : client.ws.shards.filter(({ status }) => status === Status.Ready).size);

  return {
    /** The bot's application id; null before Discord sent it. */
    applicationId: () => client.application?.id ?? null,
    /** Whether every shard is connected. */
    isReady: () => client.isReady() && shardsReady() === client.ws.shards.size,
    /** The number of connected shards. It grows slowly: each shard of a large bot takes 5 s. */
    shardsReady,
    /** Resolves when the login fails or Discord ends the session for good; never rejects. */
    ended,
    /** Closes the session for good: it neither reconnects nor emits events. Rejects with discord.js's errors. */
    async close(): Promise<void> {
      closed = true;
      const closeOpening = strategy === undefined ? () => {} : findOpeningConnections(strategy);
      await client.destroy();
      closeOpening();
    },
  };
}

/** The WebSocketManager of @discordjs/ws, which discord.js wraps in its own class of the same name. */
type GatewayManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

/**
 * discord.js waits 30 s for a handshake and 60 s for the Hello event, too long for members who wait for the bot. A
 * shard that is closed while it connects would connect again: it always retrieves its session info first, which
 * therefore never resolves after the close.
 */
function withShortTimeouts(manager: GatewayManager, isClosed: () => boolean): GatewayManager {
  const retrieveSessionInfo = manager.options.retrieveSessionInfo;
  manager.options.handshakeTimeout = 5 * second;
  manager.options.helloTimeout = 5 * second;
  manager.options.retrieveSessionInfo = async (shard) => {
    const session = isClosed() ? null : await retrieveSessionInfo.call(manager.options, shard);
    return isClosed() ? new Promise<SessionInfo | null>(() => {}) : session;
  };
  return manager;
}

/**
 * Takes interactions and the events of guilds before discord.js: it would keep every channel, role and thread of each
 * guild in memory, and build an object of each interaction that is not used. Interactions arrive as Discord sent them,
 * like those over HTTP, so that both are handled by the same code. They need no intent; that of guilds is not privileged.
 */
function takeEvents(
  manager: GatewayManager,
  on: {
    readonly onInteraction: (interaction: APIInteraction) => void;
    readonly isNative: (interaction: APIInteraction) => boolean;
    readonly onGuildChange: (change: GuildChange) => void;
  },
): void {
  manager.options.intents = GatewayIntentBits.Guilds;
  const { emit } = manager;
  Object.assign(manager, {
    emit(event: string, ...args: readonly unknown[]): boolean {
      const { t: name, d } = dispatch.safeParse(event === 'dispatch' ? args[0] : null).data?.data ?? {};
      const isInteraction = name === GatewayDispatchEvents.InteractionCreate;
      if (isInteraction && !on.isNative(d as APIInteraction)) {
        on.onInteraction(d as APIInteraction);
        return true;
      }
      const change = name !== undefined && guildChangeNames.has(name) ? guildChangeOf(name, d) : null;
      if (change !== null) on.onGuildChange(change);
      if (name !== undefined && !isInteraction && !passedOn.includes(name)) return true;
      return Reflect.apply(emit, manager, [event, ...args]) as boolean;
    },
  });
}

const dispatch = z.object({ data: z.object({ t: z.string(), d: z.unknown() }) });
const guildChangeNames: ReadonlySet<string> = new Set(guildChangeEvents);

/** The events that discord.js needs for the connection. */
const passedOn: readonly string[] = [GatewayDispatchEvents.Ready, GatewayDispatchEvents.Resumed];

function endAfterClose(closeCode: number): GatewaySessionEnd {
  const reason = `Discord closed the gateway with ${closeCode} (${GatewayCloseCodes[closeCode] ?? 'unknown'})`;
  if (closeCode === GatewayCloseCodes.AuthenticationFailed) return { cause: 'token', reason };
  if (closeCode === GatewayCloseCodes.ShardingRequired) return { cause: 'sharding', reason };
  return { cause: settingsCloseCodes.includes(closeCode) ? 'settings' : 'unreachable', reason };
}

function endAfterFailedLogin(error: unknown): GatewaySessionEnd {
  if (error instanceof RateLimitError) {
    return { cause: 'unreachable', reason: 'Discord rate limit (429)', retryAfterMs: retryDelayOf(error) };
  }
  // discord.js has no code for it.
  if (error instanceof Error && error.message.startsWith('Not enough sessions remaining')) {
    return { cause: 'sessions', reason: error.message };
  }
  const isTokenInvalid = error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  return { cause: isTokenInvalid ? 'token' : 'unreachable', reason: messageOf(error) };
}
