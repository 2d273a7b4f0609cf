import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog, type LogThrottled } from '@tallyhook/platform/throttled-log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { APIInteraction, GatewayReadyDispatchData } from 'discord-api-types/v10';
import { tokenHint } from '../discord-errors.ts';
import { type GatewayAccess, GatewaySession, type GatewaySessionEnd, type Shard } from './gateway-session.ts';
import type { GuildChange } from './guild-changes.ts';
import { createIdentifyThrottle, type IdentifyThrottle } from './identify-throttle.ts';

const statusPollMs = 1 * second;
/**
 * How long a session may try to reconnect before it is replaced, which also requests the gateway's URL again.
 */
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
  /** Whether other processes have all shards; missing for a client that does not share them. */
  readonly isStandby?: boolean;
  start(): void;
  /** Closes the connection, within 1 s or in the background. */
  stop(): Promise<void>;
}

/** What a connection to the gateway needs and reports. */
export interface GatewayOptions extends GatewayAccess {
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

/**
 * The gateway connection, reconnected for as long as the process runs. Runs one session at a time, and replaces a session
 * that has ended or was not connected for 8 s.
 */
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
  /** Whether the session is one that replaces another with too few shards. */
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
    const { shard = null, onGuildChange = () => {}, onIdentified = () => {}, clock } = this.#options;
    while (!signal.aborted) {
      const session = new GatewaySession({
        ...this.#options,
        ...{ shard, onGuildChange, onIdentified },
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

  /**
   * Returns why the session ended. Races once per session: each race adds reactions to `ended` that last as long as the
   * session.
   */
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
