import type { IIdentifyThrottler } from '@discordjs/ws';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';

/** Discord's interval is 5 s, measured when identifies arrive; the margin is for network latency (ms). */
export const identifyIntervalMs = 5.5 * second;

/** Spaces the identifies of consecutive gateway sessions. Discord: "Identify", `max_concurrency`. */
export interface IdentifyThrottle {
  /**
   * For one session, whose shards never identify after it is closed. `maxConcurrency` identifies are allowed in 5 s.
   */
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
