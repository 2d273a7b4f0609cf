import type { WebSocketOptions } from 'discord.js';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';

/** Discord's interval is 5 s, measured where identifies arrive; the rest is for the network. */
const interval = 5.5 * second;

type Throttler = Awaited<ReturnType<NonNullable<WebSocketOptions['buildIdentifyThrottler']>>>;

/** Spaces the identifies of all gateway sessions, one after another. Discord: "Identify", `max_concurrency`. */
export interface IdentifyThrottle {
  /** For one session, whose shards never identify once it is closed. `maxConcurrency` identifies are allowed in 5 s. */
  forSession(maxConcurrency: number, isClosed: () => boolean): Throttler;
}

/**
 * discord.js has a throttle for each client, so a new client would identify at once after the last one did, and Discord would invalidate
 * its session. No interval outlasts `signal`.
 */
export function createIdentifyThrottle(clock: Clock, signal: AbortSignal): IdentifyThrottle {
  /** By rate limit key; an interval that is over is removed. */
  const intervals = new Map<number, Promise<unknown>>();
  return {
    forSession: (maxConcurrency, isClosed) => ({
      async waitForIdentify(shardId, aborted) {
        const key = shardId % maxConcurrency;
        for (let running = intervals.get(key); running !== undefined; running = intervals.get(key)) await running;
        aborted.throwIfAborted();
        // A rejection would make discord.js reconnect the shard.
        if (isClosed()) return new Promise<void>(() => {});
        intervals.set(
          key,
          clock.sleep(interval, signal).then(() => intervals.delete(key)),
        );
      },
    }),
  };
}
