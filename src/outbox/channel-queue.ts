import type { Clock } from '../platform/clock.ts';

/**
 * The channels that may have due effects, so that a poll reads one channel and not the backlog of all. Rotates: each
 * channel gets its turn, however large the backlog of another. In memory only: what is missing is found by the discovery.
 */
export interface ChannelQueue {
  /** Whether a channel can be polled now. */
  readonly isEmpty: boolean;
  /** Adds a channel at the end, unless it is already queued or paused. Returns whether it was added. */
  add(channelId: string): boolean;
  /** Adds a channel once the time is `dueAt` (ms since the epoch). Replaces an earlier call for the channel. */
  addAt(channelId: string, dueAt: number): void;
  /** Keeps a channel out of the queue for `ms`, because Discord rate-limits it, and then adds it. */
  pause(channelId: string, ms: number): void;
  /** Adds the channels whose time has come, then removes the first; undefined when none can be polled. */
  next(): string | undefined;
  /** Time until a channel is added (ms); infinite when none is postponed or paused. */
  msUntilNext(): number;
}

/** Pauses use monotonic time, due times the wall clock. After a restart Discord reports its limits again. */
export function createChannelQueue({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>): ChannelQueue {
  /** In the order of their turns. */
  const ready = new Set<string>();
  const dueTimes = new Map<string, number>();
  const pauseEnds = new Map<string, number>();

  function addElapsed(times: Map<string, number>, time: number): void {
    for (const [channelId, at] of times) {
      if (at > time) continue;
      times.delete(channelId);
      add(channelId);
    }
  }

  function add(channelId: string): boolean {
    if (ready.has(channelId) || pauseEnds.has(channelId)) return false;
    ready.add(channelId);
    return true;
  }

  return {
    get isEmpty() {
      return ready.size === 0;
    },
    add,
    addAt(channelId, dueAt) {
      dueTimes.set(channelId, dueAt);
    },
    pause(channelId, ms) {
      pauseEnds.set(channelId, monotonic() + ms);
      ready.delete(channelId);
    },
    next() {
      addElapsed(pauseEnds, monotonic());
      addElapsed(dueTimes, now());
      for (const channelId of ready) {
        ready.delete(channelId);
        dueTimes.delete(channelId);
        return channelId;
      }
      return undefined;
    },
    msUntilNext: () => Math.min(minimum(pauseEnds) - monotonic(), minimum(dueTimes) - now()),
  };
}

function minimum(times: ReadonlyMap<string, number>): number {
  let first = Number.POSITIVE_INFINITY;
  for (const time of times.values()) first = Math.min(first, time);
  return first;
}
