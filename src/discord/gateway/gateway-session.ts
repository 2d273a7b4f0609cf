import { setImmediate as turn } from 'node:timers/promises';
import { DiscordAPIError, RateLimitError, REST, type RESTOptions } from '@discordjs/rest';
import {
  type SessionInfo,
  WebSocketShardEvents as ShardEvents,
  WebSocketShardStatus as ShardStatus,
  WebSocketManager,
} from '@discordjs/ws';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { LogThrottled } from '@tallyhook/platform/throttled-log';
import {
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  type GatewayReadyDispatchData,
  Routes,
} from 'discord-api-types/v10';
import { type GlobalRateLimit, hasRetryAfter, retryDelayOf, retryMarginMs } from '../rate-limit.ts';
import { type GuildChange, guildChangeOf } from './guild-changes.ts';
import type { IdentifyThrottle } from './identify-throttle.ts';

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

/** How Discord is reached. */
export interface GatewayAccess {
  readonly token: string;
  /** Without the version: `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly globalLimit: GlobalRateLimit;
  /** Observes the requests of this client. */
  readonly makeRequest?: RESTOptions['makeRequest'];
}

interface GatewaySessionOptions extends GatewayAccess {
  /** The only shard; null for as many as Discord recommends. */
  readonly shard: Shard | null;
  readonly logThrottled: LogThrottled;
  /** Shared by consecutive sessions, like `globalLimit`. */
  readonly identifyThrottle: IdentifyThrottle;
  readonly onInteraction: (interaction: APIInteraction) => void;
  /** Must not throw. */
  readonly onGuildChange: (change: GuildChange) => void;
  /** Called with Discord's first event to each shard. */
  readonly onIdentified: (data: GatewayReadyDispatchData) => void;
  /** A shard became ready or was lost. */
  readonly onChange: () => void;
}

/** By default 30 s and 60 s, too long for members who wait for the bot. */
const handshakeTimeoutMs = 3 * second;
/**
 * Counts from the beginning of the handshake, and must be longer: @discordjs/ws would abandon a connection that is
 * opening, and its handshake would then end the process with an uncaught error.
 */
const helloTimeoutMs = 7 * second;

/** After these, @discordjs/ws does not connect the shard again. */
const finalCloseCodes: ReadonlyMap<number, GatewaySessionEnd['cause']> = new Map([
  [GatewayCloseCodes.AuthenticationFailed, 'token'],
  [GatewayCloseCodes.ShardingRequired, 'sharding'],
  [GatewayCloseCodes.InvalidShard, 'settings'],
  [GatewayCloseCodes.InvalidAPIVersion, 'settings'],
  [GatewayCloseCodes.InvalidIntents, 'settings'],
  [GatewayCloseCodes.DisallowedIntents, 'settings'],
]);

/**
 * The connections of all shards, from the request for the gateway's URL to the close. Until it ends, @discordjs/ws
 * reconnects its shards. Connects immediately and never throws: what fails ends the session.
 */
export class GatewaySession {
  /** Resolves when connecting fails or Discord ends the session for good; never rejects. */
  readonly ended: Promise<GatewaySessionEnd>;
  readonly #options: GatewaySessionOptions;
  readonly #manager: WebSocketManager;
  /** What resumes each shard after a lost connection. */
  readonly #resumable = new Map<number, SessionInfo>();
  /** Shards to which Discord has said Hello. */
  readonly #open = new Set<number>();
  readonly #ready = new Set<number>();
  /** The number of shards; null before Discord has recommended it. */
  #shards: number | null = null;
  #applicationId: string | null = null;
  #closed = false;

  constructor(options: GatewaySessionOptions) {
    this.#options = options;
    this.#manager = this.#createManager();
    this.ended = new Promise((resolve) => {
      this.#manager.on(ShardEvents.Closed, ({ code }) => {
        const cause = finalCloseCodes.get(code);
        const reason = `Discord closed the gateway with ${code} (${GatewayCloseCodes[code] ?? 'unknown'})`;
        if (cause !== undefined) resolve({ cause, reason });
      });
      this.#connect().then(
        (end) => end !== null && resolve(end),
        (error: unknown) => resolve(endAfterFailure(error)),
      );
    });
  }

  /** The bot's application id; null before Discord sent it. */
  get applicationId(): string | null {
    return this.#applicationId;
  }

  /** Every shard is connected. */
  get isReady(): boolean {
    return this.shardsReady === this.#shards;
  }

  /** The number of connected shards. It grows slowly: each shard of a large bot takes 5 s. */
  get shardsReady(): number {
    return this.#closed ? 0 : this.#ready.size;
  }

  /**
   * Closes the session for good: it neither reconnects nor reports anything. @discordjs/ws would leave a connection open
   * that is still opening when it is destroyed, so its end is awaited, usually for 3 s at most.
   */
  async close(): Promise<void> {
    this.#closed = true;
    // A shard that has already asked for its session opens its connection within this turn.
    await turn();
    while (await this.#isOpening()) {
      await new Promise<unknown>((resolve) => {
        this.#manager.once(ShardEvents.Hello, resolve);
        this.#manager.once(ShardEvents.Closed, resolve);
      });
    }
    await this.#manager.destroy();
  }

  async #isOpening(): Promise<boolean> {
    const statuses = await this.#manager.fetchStatus();
    return statuses.some((status, shard) => status === ShardStatus.Connecting && !this.#open.has(shard));
  }

  #createManager(): WebSocketManager {
    const { token, apiUrl, shard, makeRequest, globalLimit, identifyThrottle, logThrottled, onChange } = this.#options;
    const rest = new REST({
      api: apiUrl,
      version: '10',
      retries: 1,
      timeout: 5 * second,
      offset: retryMarginMs,
      hashSweepInterval: 0,
      handlerSweepInterval: 0,
      ...(makeRequest && { makeRequest }),
      rejectOnRateLimit: (limit) => {
        globalLimit.observe(limit);
        // The gateway client waits before the next session. Otherwise an abandoned one would still send its request
        // after the limit.
        return limit.route === Routes.gatewayBot() || !hasRetryAfter(limit);
      },
    }).setToken(token);
    const manager = new WebSocketManager({
      token,
      rest,
      // Interactions need none; that of guilds is not privileged.
      intents: GatewayIntentBits.Guilds,
      shardCount: shard?.count ?? null,
      shardIds: shard && [shard.id],
      handshakeTimeout: handshakeTimeoutMs,
      helloTimeout: helloTimeoutMs,
      buildIdentifyThrottler: async () => {
        const { session_start_limit } = await manager.fetchGatewayInformation();
        return identifyThrottle.forSession(session_start_limit.max_concurrency, () => this.#closed);
      },
      // A shard that is closed while it connects would connect again; it always retrieves its session first.
      retrieveSessionInfo: (id) =>
        this.#closed ? new Promise<SessionInfo | null>(() => {}) : (this.#resumable.get(id) ?? null),
      updateSessionInfo: (id, session) => {
        if (session === null) this.#resumable.delete(id);
        else this.#resumable.set(id, session);
      },
    });
    manager.on(ShardEvents.Hello, ({ shardId }) => void this.#open.add(shardId));
    manager.on(ShardEvents.Ready, ({ data, shardId }) => {
      if (this.#closed) return;
      this.#applicationId = data.application.id;
      this.#options.onIdentified(data);
      this.#ready.add(shardId);
      onChange();
    });
    manager.on(ShardEvents.Resumed, ({ shardId }) => {
      this.#ready.add(shardId);
      onChange();
    });
    manager.on(ShardEvents.Closed, ({ shardId }) => {
      this.#open.delete(shardId);
      this.#ready.delete(shardId);
      onChange();
    });
    // Only the message is logged: errors contain URLs.
    manager.on(ShardEvents.Error, ({ error, shardId }) =>
      logThrottled('warn', 'shard error', 'a gateway connection failed', { shard: shardId, reason: error.message }),
    );
    manager.on(ShardEvents.Dispatch, ({ data }) => this.#receive(data));
    return manager;
  }

  /** Interactions arrive as Discord sent them, like those over HTTP, so that both are handled by the same code. */
  #receive({ t: event, d: data }: GatewayDispatchPayload): void {
    if (this.#closed) return;
    if (event === GatewayDispatchEvents.InteractionCreate) {
      this.#options.onInteraction(data);
    } else {
      const change = guildChangeOf(event, data);
      if (change !== null) this.#options.onGuildChange(change);
    }
  }

  /** Returns why it cannot connect; null if it has. */
  async #connect(): Promise<GatewaySessionEnd | null> {
    const { session_start_limit: limit } = await this.#manager.fetchGatewayInformation();
    const { length: shards } = await this.#manager.getShardIds();
    this.#shards = shards;
    if (limit.remaining < shards) {
      const minutes = Math.ceil(limit.reset_after / minute);
      const reason = `${limit.remaining} sessions are left for ${shards} shards; in ${minutes} min ${limit.total}`;
      return { cause: 'sessions', reason };
    }
    if (!this.#closed) await this.#manager.connect();
    return null;
  }
}

function endAfterFailure(error: unknown): GatewaySessionEnd {
  if (error instanceof RateLimitError) {
    return { cause: 'unreachable', reason: 'Discord rate limit (429)', retryAfterMs: retryDelayOf(error) };
  }
  const isTokenInvalid = error instanceof DiscordAPIError && error.status === 401;
  return { cause: isTokenInvalid ? 'token' : 'unreachable', reason: messageOf(error) };
}
