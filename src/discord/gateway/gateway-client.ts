import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { Interaction } from 'discord.js';
import type { APIInteraction } from 'discord-api-types/v10';
import { tokenHint } from '../discord-errors.ts';
import type { NativeInteractions } from '../interactions/native-interactions.ts';
import {
  type GatewayAccess,
  type GatewaySession,
  type GatewaySessionEnd,
  openGatewaySession,
  type Shard,
} from './gateway-session.ts';
import type { GuildChange } from './guild-changes.ts';
import { createIdentifyThrottle, type IdentifyThrottle } from './identify-throttle.ts';

const statusPollMs = 1 * second;
/**
 * How long discord.js may try to reconnect before its session is replaced, which also requests the gateway's URL again.
 */
const reconnectTimeoutMs = 8 * second;
const maxRetryDelayMs = 4 * second;
/** For errors that only the operator can fix: Discord bans addresses that retry too often. */
const operatorErrorDelayMs = 1 * minute;
const closeTimeoutMs = 1 * second;
/** Discord allows 1,000 sessions a day; other processes may leave some (ms). */
const sessionsRetryMs = 10 * minute;
/** For responses to interactions that are in progress when the client stops. */
const responseTimeoutMs = 3 * second;

/** Log lines per topic and minute: the connection at the start, its loss and its recovery. */
const maxLogMessages = 3;
const logIntervalMs = 1 * minute;

/** The gateway connection, reconnected for as long as the process runs. */
export interface GatewayClient {
  /** Every shard is connected. */
  readonly ready: boolean;
  /** Whether other processes have all shards; missing for a client that does not share them. */
  readonly isStandby?: boolean;
  start(): void;
  /** Closes the connection (1 s at most), then waits for the responses in progress (3 s at most). */
  stop(): Promise<void>;
}

/** Runs one session at a time. Replaces a session that has ended or was not connected for 8 s. */
export function createGatewayClient(
  options: GatewayAccess & {
    /** Real time. */
    clock: Clock;
    log: Log;
    /** Must not reject. */
    onInteraction: (interaction: APIInteraction) => Promise<void>;
    /** Gets what discord.js makes of the interactions that it takes. */
    native?: NativeInteractions | null;
    /** Must not throw. */
    onGuildChange?: (change: GuildChange) => void;
    /** Called when all shards are connected, for the first time or again. Must not throw. */
    onReady: (applicationId: string) => void;
    /** The only shard; all by default. */
    shard?: Shard;
    /** Shared by the shards of one bot; by default that of this client alone. */
    identifyThrottle?: IdentifyThrottle;
    /** Called when Discord requires more shards. By default, it connects with as many as Discord recommends. */
    onShardingRequired?: () => void;
  },
): GatewayClient {
  const { clock, log, globalLimit, onReady, shard = null, onShardingRequired = () => {} } = options;
  const stopping = new AbortController();
  const logThrottled = createThrottledLog({
    log,
    clock,
    intervalMs: logIntervalMs,
    maxMessages: maxLogMessages,
    flushUntil: stopping.signal,
  });
  const identifyThrottle = options.identifyThrottle ?? createIdentifyThrottle(clock, stopping.signal);
  const pendingResponses = new Set<Promise<void>>();
  let session: GatewaySession | undefined;
  let running: Promise<void> | undefined;
  let ready = false;
  let failures = 0;
  let hasResharded = false;

  const { native = null } = options;
  const onInteraction = (interaction: APIInteraction) => track(options.onInteraction(interaction));
  const onNative = (interaction: Interaction) => native !== null && track(native.handle(interaction));

  function track(responding: Promise<void>): void {
    const response = responding.finally(() => pendingResponses.delete(response));
    pendingResponses.add(response);
  }

  function updateStatus(): void {
    const isReady = session?.isReady() ?? false;
    if (isReady === ready) return;
    ready = isReady;
    if (ready) {
      failures = 0;
      hasResharded = false;
      const connected = shard === null ? { shards: session?.shardsReady() } : { shard: shard.id, of: shard.count };
      logThrottled('info', 'connection', 'connected to Discord', connected);
      onReady(session?.applicationId() ?? '');
    } else if (!stopping.signal.aborted) {
      logThrottled('warn', 'connection', 'disconnected from Discord');
    }
  }

  /**
   * Returns why the session ended. Races once per session: each race adds reactions to `ended` that last as long as the
   * session.
   */
  async function endOfSession(current: GatewaySession): Promise<GatewaySessionEnd> {
    const over = new AbortController();
    try {
      return await Promise.race([
        current.ended,
        untilUnreachable(current, AbortSignal.any([over.signal, stopping.signal])),
      ]);
    } finally {
      over.abort();
      updateStatus();
    }
  }

  /** Polls the session until it was disconnected for too long. A shard that becomes ready restarts the timeout. */
  async function untilUnreachable(current: GatewaySession, signal: AbortSignal): Promise<GatewaySessionEnd> {
    let lastProgressAt = clock.monotonic();
    let shards = 0;
    while (!signal.aborted) {
      await clock.sleep(statusPollMs, signal);
      updateStatus();
      if (ready || current.shardsReady() > shards) lastProgressAt = clock.monotonic();
      shards = current.shardsReady();
      if (clock.monotonic() - lastProgressAt > reconnectTimeoutMs) break;
    }
    return { cause: 'unreachable', reason: `not connected for ${reconnectTimeoutMs / second} s` };
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      session = openGatewaySession({
        ...options,
        shard,
        logThrottled,
        identifyThrottle,
        onInteraction,
        onNative,
        isNative: (interaction) => native?.takes(interaction) === true,
        onGuildChange: options.onGuildChange ?? (() => {}),
        onChange: updateStatus,
      });
      const end = await endOfSession(session);
      const closing = session
        .close()
        .catch((error: unknown) =>
          logThrottled('warn', 'close', 'a gateway connection could not be closed', { reason: messageOf(error) }),
        );
      updateStatus();
      if (stopping.signal.aborted) {
        await closing;
        return;
      }
      await clock.sleep(retryDelayAfter(end), stopping.signal);
    }
  }

  function retryDelayAfter({ cause, reason, retryAfterMs = 0 }: GatewaySessionEnd): number {
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
    if (cause === 'sharding' && shard !== null) {
      onShardingRequired();
      return maxRetryDelayMs;
    }
    // Only once without a delay: if the recommended number is still too low for Discord, reconnecting immediately does
    // not help.
    if (cause === 'sharding' && !hasResharded) {
      hasResharded = true;
      log.warn({ reason }, 'Discord requires more shards; reconnecting with the recommended number');
      return rateLimitMs;
    }
    const backoff = Math.min(maxRetryDelayMs, second * 2 ** Math.min(failures, 2)) * (1 - clock.random() / 4);
    const delay = Math.max(backoff, rateLimitMs);
    failures += 1;
    const fields = { reason, failures, retryInMs: Math.round(delay) };
    logThrottled('warn', 'unreachable', 'Discord is unreachable; retrying', fields);
    return delay;
  }

  return {
    get ready() {
      return ready;
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await settleWithin(closeTimeoutMs, clock, running ?? Promise.resolve());
      await settleWithin(responseTimeoutMs, clock, Promise.all(pendingResponses));
    },
  };
}
