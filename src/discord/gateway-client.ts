import type { Interaction } from 'discord.js';
import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { type GatewaySession, type GatewaySessionEnd, openGatewaySession } from './gateway-session.ts';
import type { GlobalRateLimit } from './global-rate-limit.ts';
import { createIdentifyThrottle } from './identify-throttle.ts';
import { createLogThrottle } from './log-throttle.ts';
import { tokenHint } from './token.ts';

/** How often it looks whether it is still connected. */
const pulse = 1 * second;
/** How long discord.js may try to mend a connection before it is thrown away, so that the gateway's address is asked anew. */
const patience = 8 * second;
const longestDelay = 4 * second;
/** What only the owner can set right is not tried often: Discord bans addresses that keep knocking. */
const hopelessDelay = 1 * minute;
/** How long the connection may take to close, and answers that are under way to get out, when it stops. */
const drain = { connection: 1 * second, answers: 3 * second };

/** The gateway connection, kept up for as long as the process runs. */
export interface GatewayClient {
  /** Connected, with every shard. */
  readonly ready: boolean;
  start(): void;
  /** Closes the gateway (1 s at most), then waits for the answers that are under way (3 s at most). */
  stop(): Promise<void>;
}

/** Keeps one session at a time, and replaces one that has ended or has had no connection for 8 s. */
export function createGatewayClient(options: {
  token: string;
  /** Without the version: `https://discord.com/api`. */
  apiUrl: string;
  /** The time that really passes. */
  clock: Clock;
  log: Log;
  globalLimit: GlobalRateLimit;
  /** Must not reject. */
  onInteraction: (interaction: Interaction) => Promise<void>;
  /** It is connected, for the first time or again. Must not throw. */
  onReady: (applicationId: string) => void;
}): GatewayClient {
  const { token, apiUrl, clock, log, globalLimit, onReady } = options;
  const halt = new AbortController();
  const throttledLog = createLogThrottle({ log, clock, signal: halt.signal });
  const identifyThrottle = createIdentifyThrottle(clock, halt.signal);
  const underWay = new Set<Promise<void>>();
  let session: GatewaySession | undefined;
  let running: Promise<void> | undefined;
  let ready = false;
  let failures = 0;
  let hasResharded = false;

  function onInteraction(interaction: Interaction): void {
    const answer = options.onInteraction(interaction).finally(() => underWay.delete(answer));
    underWay.add(answer);
  }

  function look(): void {
    const isReady = session?.isReady() ?? false;
    if (isReady === ready) return;
    ready = isReady;
    if (ready) {
      failures = 0;
      hasResharded = false;
      throttledLog('connection', 'info', { shards: session?.shardsReady() }, 'connected to Discord');
      onReady(session?.applicationId() ?? '');
    } else if (!halt.signal.aborted) {
      throttledLog('connection', 'warn', {}, 'the connection to Discord is lost');
    }
  }

  /** Returns why it is over. One race for the whole of it: `ended` remembers whoever waits for it for as long as the session lasts. */
  async function lastingOf(current: GatewaySession): Promise<GatewaySessionEnd> {
    const over = new AbortController();
    try {
      return await Promise.race([current.ended, unreachability(current, AbortSignal.any([over.signal, halt.signal]))]);
    } finally {
      over.abort();
      look();
    }
  }

  /** Looks at the session every second, until it has had no connection for too long. */
  async function unreachability(current: GatewaySession, over: AbortSignal): Promise<GatewaySessionEnd> {
    let lastProgress = clock.monotonic();
    let shards = 0;
    while (!over.aborted) {
      await clock.sleep(pulse, over);
      look();
      if (ready || current.shardsReady() > shards) lastProgress = clock.monotonic();
      shards = current.shardsReady();
      if (clock.monotonic() - lastProgress > patience) break;
    }
    return { cause: 'unreachable', reason: `not connected for ${patience / second} s` };
  }

  async function run(): Promise<void> {
    while (!halt.signal.aborted) {
      session = openGatewaySession({
        token,
        apiUrl,
        throttledLog,
        identifyThrottle,
        globalLimit,
        onInteraction,
        onChange: look,
      });
      const end = await lastingOf(session);
      const closing = session
        .close()
        .catch((error: unknown) =>
          throttledLog('close', 'warn', { reason: messageOf(error) }, 'a connection did not close well'),
        );
      look();
      if (halt.signal.aborted) return closing;
      await clock.sleep(delayAfter(end), halt.signal);
    }
  }

  function delayAfter({ cause, reason, retryAfterMs = 0 }: GatewaySessionEnd): number {
    const pauseMs = Math.max(retryAfterMs, globalLimit.remainingMs());
    if (cause === 'token') {
      log.error({ reason, cure: tokenHint }, 'Discord does not accept the bot token');
      return hopelessDelay;
    }
    if (cause === 'settings') {
      log.error({ reason }, 'Discord does not accept the way in which the bot connects');
      return hopelessDelay;
    }
    // Once only: where the number that Discord recommends is not enough for Discord, haste does not help.
    if (cause === 'sharding' && !hasResharded) {
      hasResharded = true;
      log.warn({ reason }, 'Discord requires more shards; reconnecting with the number that it recommends');
      return pauseMs;
    }
    const backoff = Math.min(longestDelay, second * 2 ** Math.min(failures, 2)) * (1 - clock.random() / 4);
    const delay = Math.max(backoff, pauseMs);
    failures += 1;
    const fields = { reason, failures, retryInMs: Math.round(delay) };
    throttledLog('unreachable', 'warn', fields, 'Discord cannot be reached; trying again');
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
      halt.abort();
      await settleWithin(drain.connection, clock, running ?? Promise.resolve());
      await settleWithin(drain.answers, clock, Promise.all(underWay));
    },
  };
}
