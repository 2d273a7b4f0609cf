import type { WebSocketOptions } from 'discord.js';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';

/** Discord's interval is 5 s, measured when identifies arrive; the margin is for network latency (ms). */
export const identifyIntervalMs = 5.5 * second;

type SessionThrottle = Awaited<ReturnType<NonNullable<WebSocketOptions['buildIdentifyThrottler']>>>;

/** Spaces the identifies of consecutive gateway sessions. Discord: "Identify", `max_concurrency`. */
export interface IdentifyThrottle {
  /**
   * For one session, whose shards never identify after it is closed. `maxConcurrency` identifies are allowed in 5 s.
   */
  forSession(maxConcurrency: number, isClosed: () => boolean): SessionThrottle;
}

/**
 * discord.js has one throttle per client, so a new client would identify immediately after the previous one, and
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
        // A rejection would make discord.js reconnect the shard.
        if (isClosed()) return new Promise<void>(() => {});
        intervals.set(
          key,
          clock.sleep(identifyIntervalMs, signal).then(() => intervals.delete(key)),
        );
      },
    }),
  };
}
