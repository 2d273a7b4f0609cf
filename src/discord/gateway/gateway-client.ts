import { setImmediate as turn } from 'node:timers/promises';
import { DiscordAPIError, RateLimitError, REST, type RESTOptions } from '@discordjs/rest';
import {
  type IIdentifyThrottler,
  type SessionInfo,
  WebSocketShardEvents as ShardEvents,
  WebSocketShardStatus as ShardStatus,
  WebSocketManager,
} from '@discordjs/ws';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  type GatewayReadyDispatchData,
  Routes,
} from 'discord-api-types/v10';
import { tokenHint } from '../discord-errors.ts';
import { type GlobalRateLimit, hasRetryAfter, retryDelayOf, retryMarginMs } from '../rate-limit.ts';
import { type GuildChange, guildChangeOf } from './guild-changes.ts';

const statusPollMs = 1 * second;
/** How long a session may try to reconnect before it is replaced, which also requests the gateway's URL again. */
const reconnectTimeoutMs = 8 * second;
const maxRetryDelayMs = 4 * second;
/** For errors that only the operator can fix: Discord bans addresses that retry too often. */
const operatorErrorDelayMs = 1 * minute;
const closeTimeoutMs = 1 * second;
/** Discord allows 1,000 sessions a day; other processes may leave some (ms). */
const sessionsRetryMs = 10 * minute;

/** Log lines per topic and minute: the connection at the start, its loss and its recovery. */
const maxLogMessages = 3;
const logIntervalMs = 1 * minute;

/** A connection to the gateway. */
export interface GatewayClient {
  /** Every shard is connected. */
  readonly ready: boolean;
  /** True if other processes have all shards; missing for a client that does not share them. */
  readonly isStandby?: boolean;
  start(): void;
  /** Closes the connection, within 1 s or in the background. */
  stop(): Promise<void>;
}

export interface GatewayOptions {
  readonly token: string;
  /** The address of Discord's API, without the version: `https://discord.com/api`. */
  readonly apiUrl: string;
  readonly globalLimit: GlobalRateLimit;
  /** Observes the requests of this client. */
  readonly makeRequest?: RESTOptions['makeRequest'];
  /** Real time. */
  readonly clock: Clock;
  readonly log: Log;
  /** Must not throw. */
  readonly onInteraction: (interaction: APIInteraction) => void;
  /** Must not throw. */
  readonly onGuildChange?: (change: GuildChange) => void;
  /** Called with Discord's first event to each shard. */
  readonly onIdentified?: (data: GatewayReadyDispatchData) => void;
  /** Called when all shards are connected, for the first time or again. Must not throw. */
  readonly onReady: (applicationId: string) => void;
}

interface ShardOptions {
  /** The only shard; all by default. */
  readonly shard?: Shard;
  /** Shared by the shards of one bot; by default that of this client alone. */
  readonly identifyThrottle?: IdentifyThrottle;
  /** Called when Discord requires more shards. By default, it connects with as many as Discord recommends. */
  readonly onShardingRequired?: () => void;
}

/** Reconnects as long as the process runs: replaces a session that has ended or is not connected for 8 s. */
export class GatewayConnection implements GatewayClient {
  readonly #options: GatewayOptions & ShardOptions;
  readonly #stopping = new AbortController();
  readonly #logThrottled: LogThrottled;
  readonly #identifyThrottle: IdentifyThrottle;
  #session: GatewaySession | null = null;
  #running: Promise<void> | undefined;
  #ready = false;
  /** Sessions that have failed since the last one that was connected. */
  #failures = 0;
  /** True if the session is one that replaces another with too few shards. */
  #hasResharded = false;

  constructor(options: GatewayOptions & ShardOptions) {
    const { log, clock } = options;
    const { signal } = this.#stopping;
    this.#options = options;
    this.#identifyThrottle = options.identifyThrottle ?? createIdentifyThrottle(clock, signal);
    this.#logThrottled = createThrottledLog({
      ...{ log, clock, flushUntil: signal },
      intervalMs: logIntervalMs,
      maxMessages: maxLogMessages,
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await settleWithin(closeTimeoutMs, this.#options.clock, this.#running ?? Promise.resolve());
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { clock } = this.#options;
    while (!signal.aborted) {
      const session = new GatewaySession({
        ...this.#options,
        logThrottled: this.#logThrottled,
        identifyThrottle: this.#identifyThrottle,
        onChange: () => this.#updateStatus(),
      });
      this.#session = session;
      const end = await this.#endOf(session);
      const closing = session.close().catch((error: unknown) => {
        const reason = messageOf(error);
        this.#logThrottled('warn', 'close', 'a gateway connection could not be closed', { reason });
      });
      this.#updateStatus();
      if (signal.aborted) return closing;
      await clock.sleep(this.#retryDelayAfter(end), signal);
    }
  }

  /** Races once per session: each race adds reactions to `ended` that last as long as the session. */
  async #endOf(session: GatewaySession): Promise<GatewaySessionEnd> {
    const over = new AbortController();
    try {
      const unreachable = this.#untilUnreachable(session, AbortSignal.any([over.signal, this.#stopping.signal]));
      return await Promise.race([session.ended, unreachable]);
    } finally {
      over.abort();
      this.#updateStatus();
    }
  }

  /** Polls the session until it was disconnected for too long. A shard that becomes ready restarts the timeout. */
  async #untilUnreachable(session: GatewaySession, signal: AbortSignal): Promise<GatewaySessionEnd> {
    const { clock } = this.#options;
    let lastProgressAt = clock.monotonic();
    let shards = 0;
    while (!signal.aborted) {
      await clock.sleep(statusPollMs, signal);
      this.#updateStatus();
      if (this.#ready || session.shardsReady > shards) lastProgressAt = clock.monotonic();
      shards = session.shardsReady;
      if (clock.monotonic() - lastProgressAt > reconnectTimeoutMs) break;
    }
    return { cause: 'unreachable', reason: `not connected for ${reconnectTimeoutMs / second} s` };
  }

  #updateStatus(): void {
    const session = this.#session;
    const isReady = session?.isReady === true;
    if (isReady === this.#ready) return;
    this.#ready = isReady;
    if (isReady) {
      this.#failures = 0;
      this.#hasResharded = false;
      const { shard, onReady } = this.#options;
      const connected = shard === undefined ? { shards: session.shardsReady } : { shard: shard.id, of: shard.count };
      this.#logThrottled('info', 'connection', 'connected to Discord', connected);
      onReady(session.applicationId ?? '');
    } else if (!this.#stopping.signal.aborted) {
      this.#logThrottled('warn', 'connection', 'disconnected from Discord');
    }
  }

  #retryDelayAfter({ cause, reason, retryAfterMs = 0 }: GatewaySessionEnd): number {
    const { log, clock, globalLimit, shard, onShardingRequired = () => {} } = this.#options;
    const rateLimitMs = Math.max(retryAfterMs, globalLimit.remainingMs());
    if (cause === 'token') {
      log.error({ reason, hint: tokenHint }, 'Discord rejects the bot token');
      return operatorErrorDelayMs;
    }
    if (cause === 'settings') {
      log.error({ reason }, 'Discord rejects the gateway settings');
      return operatorErrorDelayMs;
    }
    if (cause === 'sessions') {
      log.error({ reason }, 'Discord allows no more gateway sessions for now; waiting');
      return sessionsRetryMs;
    }
    if (cause === 'sharding' && shard !== undefined) {
      onShardingRequired();
      return maxRetryDelayMs;
    }
    // Only once without a delay: if the recommended number is still too low for Discord, reconnecting immediately does
    // not help.
    if (cause === 'sharding' && !this.#hasResharded) {
      this.#hasResharded = true;
      log.warn({ reason }, 'Discord requires more shards; reconnecting with the recommended number');
      return rateLimitMs;
    }
    const backoff = Math.min(maxRetryDelayMs, second * 2 ** Math.min(this.#failures, 2)) * (1 - clock.random() / 4);
    const delay = Math.max(backoff, rateLimitMs);
    this.#failures += 1;
    const fields = { reason, failures: this.#failures, retryInMs: Math.round(delay) };
    this.#logThrottled('warn', 'unreachable', 'Discord is unreachable; retrying', fields);
    return delay;
  }
}

interface Shard {
  readonly id: number;
  readonly count: number;
}

/**
 * Why a session ended for good. `token`: Discord rejects the bot token. `settings`: Discord rejects the intents, shard
 * or API version. `sharding`: Discord requires more shards. `sessions`: Discord allows no more sessions today.
 */
interface GatewaySessionEnd {
  readonly cause: 'token' | 'settings' | 'sharding' | 'sessions' | 'unreachable';
  readonly reason: string;
  /** Rate limit of the request that failed (ms). */
  readonly retryAfterMs?: number;
}

interface GatewaySessionOptions extends GatewayOptions {
  /** The only shard; as many as Discord recommends without one. */
  readonly shard?: Shard;
  readonly logThrottled: LogThrottled;
  /** Shared by consecutive sessions, like `globalLimit`. */
  readonly identifyThrottle: IdentifyThrottle;
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
class GatewaySession {
  /** Resolves when connecting fails or Discord ends the session for good; never rejects. */
  readonly ended: Promise<GatewaySessionEnd>;
  readonly #options: GatewaySessionOptions;
  readonly #manager: WebSocketManager;
  readonly #resumable = new Map<number, SessionInfo>();
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
      shardIds: shard ? [shard.id] : null,
      handshakeTimeout: handshakeTimeoutMs,
      helloTimeout: helloTimeoutMs,
      buildIdentifyThrottler: async (sessions) => {
        const { session_start_limit } = await sessions.fetchGatewayInformation();
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
      this.#options.onIdentified?.(data);
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
      if (change !== null) this.#options.onGuildChange?.(change);
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

/** Discord's interval is 5 s, measured when identifies arrive; the margin is for network latency (ms). */
export const identifyIntervalMs = 5.5 * second;

/** Spaces the identifies of consecutive gateway sessions. Discord: "Identify", `max_concurrency`. */
export interface IdentifyThrottle {
  /** For a session, whose shards never identify once it is closed. `maxConcurrency` may identify in 5 s. */
  forSession(maxConcurrency: number, isClosed: () => boolean): IIdentifyThrottler;
}

/**
 * @discordjs/ws has one throttle per session, so a new session would identify immediately after the previous one, and
 * Discord would invalidate its session. All intervals end when `signal` aborts.
 */
export function createIdentifyThrottle(clock: Clock, signal: AbortSignal): IdentifyThrottle {
  /** Running intervals by rate limit key. */
  const intervals = new Map<number, Promise<unknown>>();
  return {
    forSession: (maxConcurrency, isClosed) => ({
      async waitForIdentify(shardId, abortSignal) {
        const key = shardId % maxConcurrency;
        for (let running = intervals.get(key); running !== undefined; running = intervals.get(key)) await running;
        abortSignal.throwIfAborted();
        // A rejection would make @discordjs/ws reconnect the shard.
        if (isClosed()) return new Promise<void>(() => {});
        intervals.set(
          key,
          clock.sleep(identifyIntervalMs, signal).then(() => intervals.delete(key)),
        );
      },
    }),
  };
}

const pollMs = second / 4;
const group = 'identify';

/**
 * Spaces the identifies of all processes: before each, a ticket is taken in the database, which is given back 5.5 s
 * later. The ticket of a crashed process is free when the process is removed from its group.
 * @param holder the id of this process in the group that shares the shards
 */
export function createSharedIdentifyThrottle(options: {
  readonly leases: LeaseStore;
  readonly holder: () => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): IdentifyThrottle {
  const { leases, holder, clock, signal } = options;

  async function giveBack(ticket: number, ticketHolder: string): Promise<void> {
    await clock.sleep(identifyIntervalMs, signal);
    while (!signal.aborted) {
      const isFree = await leases.release(group, ticketHolder, [ticket]).then(
        () => true,
        () => false,
      );
      if (isFree) return;
      await clock.sleep(second, signal);
    }
  }

  return {
    forSession: (maxConcurrency, isClosed) => ({
      async waitForIdentify(shardId, abortSignal) {
        const ticket = shardId % maxConcurrency;
        while (!isClosed() && !signal.aborted) {
          abortSignal.throwIfAborted();
          const ticketHolder = holder();
          const request = { size: maxConcurrency, slots: [ticket], limit: 1 };
          const taken = await leases.take(group, ticketHolder, request).catch(() => []);
          if (taken.length > 0) {
            void giveBack(ticket, ticketHolder);
            if (!isClosed()) return;
          }
          await clock.sleep(pollMs, signal);
        }
        // A rejection would make @discordjs/ws reconnect the shard.
        return new Promise<void>(() => {});
      },
    }),
  };
}
