import type { Clock } from '../platform/clock.ts';

/**
 * The queues of the outbox that may have due effects, so that a poll reads one queue and not the backlog of all. Each
 * gets its turn, however large the backlog of another. In memory only: what is missing is found by the discovery.
 */
export interface QueueRotation {
  /** Whether no queue can be polled now. */
  readonly isEmpty: boolean;
  /** Adds a queue at the end, unless it is already there or paused. Returns whether it was added. */
  add(queue: string): boolean;
  /** Adds a queue once the time is `dueAt` (ms since the epoch). Replaces an earlier call for the queue. */
  addAt(queue: string, dueAt: number): void;
  /** Skips a queue for `ms`, because Discord rate-limits it, and then adds it. */
  pause(queue: string, ms: number): void;
  /** Adds the queues whose time has come, then removes the first; undefined when none can be polled. */
  next(): string | undefined;
  /** Time until a queue is added (ms); infinite when none is postponed or paused. */
  msUntilNext(): number;
}

/** Pauses use monotonic time, due times the wall clock. After a restart Discord reports its limits again. */
export function createQueueRotation({ now, monotonic }: Pick<Clock, 'now' | 'monotonic'>): QueueRotation {
  /** In the order of their turns. */
  const ready = new Set<string>();
  const dueTimes = new Map<string, number>();
  const pauseEnds = new Map<string, number>();

  function addElapsed(times: Map<string, number>, time: number): void {
    for (const [queue, at] of times) {
      if (at > time) continue;
      times.delete(queue);
      add(queue);
    }
  }

  function add(queue: string): boolean {
    if (ready.has(queue) || pauseEnds.has(queue)) return false;
    ready.add(queue);
    return true;
  }

  return {
    get isEmpty() {
      return ready.size === 0;
    },
    add,
    addAt(queue, dueAt) {
      dueTimes.set(queue, dueAt);
    },
    pause(queue, ms) {
      pauseEnds.set(queue, monotonic() + ms);
      ready.delete(queue);
    },
    next() {
      addElapsed(pauseEnds, monotonic());
      addElapsed(dueTimes, now());
      for (const queue of ready) {
        ready.delete(queue);
        dueTimes.delete(queue);
        return queue;
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
