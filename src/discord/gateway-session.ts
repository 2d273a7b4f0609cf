import {
  Client,
  DiscordjsError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  type Interaction,
  Options,
  RateLimitError,
  Routes,
  type SessionInfo,
  SimpleShardingStrategy,
  Status,
  type WebSocketOptions,
} from 'discord.js';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { GlobalRateLimit } from './global-rate-limit.ts';
import type { IdentifyThrottle } from './identify-throttle.ts';
import type { LogThrottle } from './log-throttle.ts';
import { hasRetryAfter, retryDelayOf, retryMarginMs } from './rate-limit.ts';

/**
 * Why a session will not come back by itself. `token`: Discord does not accept it. `settings`: it does not accept how we connect.
 * `sharding`: it wants more shards than there are.
 */
export interface GatewaySessionEnd {
  readonly cause: 'token' | 'settings' | 'sharding' | 'unreachable';
  readonly reason: string;
  /** How long Discord wants no request of the kind that failed (ms). */
  readonly retryAfterMs?: number;
}

/** One discord.js client, from its login to its end. While it lasts, discord.js mends its connection by itself. */
export interface GatewaySession {
  /** Every shard is connected. */
  isReady(): boolean;
  /** The id of the bot's application; null until Discord has told it. */
  applicationId(): string | null;
  /** How many shards are connected: that they become more is progress, a large bot takes 5 s for each. */
  shardsReady(): number;
  /** Comes when the login fails or Discord ends the session for good; never rejects. */
  readonly ended: Promise<GatewaySessionEnd>;
  /** For good: nothing of it reconnects or is heard any more. Rejects with what discord.js throws. */
  close(): Promise<void>;
}

const settingsAtFault: readonly number[] = [
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.InvalidAPIVersion,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
];

/** Logs in at once, with as many shards as Discord advises. Never throws: a login that fails ends it. */
export function openGatewaySession(options: {
  token: string;
  /** Without the version: `https://discord.com/api`. */
  apiUrl: string;
  throttledLog: LogThrottle;
  /** Both outlast a session. */
  identifyThrottle: IdentifyThrottle;
  globalLimit: GlobalRateLimit;
  onInteraction: (interaction: Interaction) => void;
  /** A shard became ready or was lost. */
  onChange: () => void;
}): GatewaySession {
  const { token, apiUrl, throttledLog, identifyThrottle, globalLimit, onInteraction, onChange } = options;
  let closed = false;

  const client = new Client({
    // Interactions come without any intent, and nothing else is needed: the least privilege.
    intents: [],
    shards: 'auto',
    rest: {
      api: apiUrl,
      version: '10',
      retries: 1,
      timeout: 5 * second,
      offset: retryMarginMs,
      rejectOnRateLimit: (limit) => {
        globalLimit.observe(limit);
        // Whoever opens the next session waits: a client that is given up on would still make its request at the end of the limit.
        return limit.route === Routes.gatewayBot() || !hasRetryAfter(limit);
      },
    },
    // An interaction brings along all that its answer needs; what it left in the caches would grow with every member.
    makeCache: Options.cacheWithLimits({ GuildMemberManager: 100, MessageManager: 0, UserManager: 100 }),
    ws: {
      buildStrategy: (manager) => new SimpleShardingStrategy(impatient(manager, () => closed)),
      async buildIdentifyThrottler(manager) {
        const { session_start_limit } = await manager.fetchGatewayInformation();
        return identifyThrottle.forSession(session_start_limit.max_concurrency, () => closed);
      },
    },
  });

  client.on(Events.InteractionCreate, (interaction) => {
    if (!closed) onInteraction(interaction);
  });
  client.on(Events.ClientReady, onChange);
  client.on(Events.ShardReady, onChange);
  client.on(Events.ShardResume, onChange);
  client.on(Events.ShardReconnecting, onChange);
  // Only the message: its errors carry addresses, and those of interactions hold their tokens.
  client.on(Events.Error, (error) =>
    throttledLog('client error', 'error', { reason: error.message }, 'discord.js reports an error'),
  );
  client.on(Events.ShardError, (error, shard) =>
    throttledLog('shard error', 'warn', { shard, reason: error.message }, 'a gateway connection failed'),
  );
  client.on(Events.Warn, (reason) => throttledLog('client warning', 'warn', { reason }, 'discord.js warns'));

  const ended = new Promise<GatewaySessionEnd>((resolve) => {
    client.on(Events.ShardDisconnect, ({ code }) => resolve(endOf(code)));
    client.login(token).catch((error: unknown) => resolve(loginFailure(error)));
  });

  const shardsReady = () => (closed ? 0 : client.ws.shards.filter(({ status }) => status === Status.Ready).size);

  return {
    applicationId: () => client.application?.id ?? null,
    isReady: () => client.isReady() && shardsReady() === client.ws.shards.size,
    shardsReady,
    ended,
    async close() {
      closed = true;
      await client.destroy();
    },
  };
}

/** The manager of @discordjs/ws, which discord.js hides behind one of the same name. */
type GatewayManager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0];

/**
 * discord.js waits 30 s for a handshake and 60 s for a first word, longer than a member should have to wait for the bot's return. And a
 * shard that is closed while it connects would connect again: it always asks for its session first, so a closed one gets no answer.
 */
function impatient(manager: GatewayManager, isClosed: () => boolean): GatewayManager {
  const retrieve = manager.options.retrieveSessionInfo;
  manager.options.handshakeTimeout = 5 * second;
  manager.options.helloTimeout = 5 * second;
  manager.options.retrieveSessionInfo = (shard) =>
    isClosed() ? new Promise<SessionInfo | null>(() => {}) : retrieve.call(manager.options, shard);
  return manager;
}

function endOf(closeCode: number): GatewaySessionEnd {
  const reason = `Discord closed the gateway with ${closeCode} (${GatewayCloseCodes[closeCode] ?? 'unknown'})`;
  if (closeCode === GatewayCloseCodes.AuthenticationFailed) return { cause: 'token', reason };
  if (closeCode === GatewayCloseCodes.ShardingRequired) return { cause: 'sharding', reason };
  return { cause: settingsAtFault.includes(closeCode) ? 'settings' : 'unreachable', reason };
}

function loginFailure(error: unknown): GatewaySessionEnd {
  if (error instanceof RateLimitError) {
    return { cause: 'unreachable', reason: 'Discord asks for a pause (429)', retryAfterMs: retryDelayOf(error) };
  }
  const isRefused = error instanceof DiscordjsError && error.code === DiscordjsErrorCodes.TokenInvalid;
  return { cause: isRefused ? 'token' : 'unreachable', reason: messageOf(error) };
}
