import { setImmediate } from 'node:timers/promises';
import { type Clock, systemClock } from '../src/clock.ts';

export interface ManualClock extends Clock {
  /** Advances time by `ms`. Wakes each sleeper when it is due, and lets it run before time advances further. */
  advance(ms: number): Promise<void>;
  /** Shifts only the wall clock by `ms`, backwards if negative. */
  shiftWallClock(ms: number): void;
  /** The number of pending sleeps. */
  sleepers(): number;
}

interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/** A clock that advances only when a test advances it. Its `random` always returns 0.5. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  const sleepers = new Set<Sleeper>();
  let now = start;
  let shift = 0;

  return {
    now: () => now + shift,
    monotonic: () => now - start,
    shiftWallClock(ms) {
      shift += ms;
    },
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = {
          due: now + ms,
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake);
      }),
    sleepers: () => sleepers.size,
    async advance(ms) {
      const until = now + ms;
      await setImmediate();
      for (let next = earliest(); next !== undefined && next.due <= until; next = earliest()) {
        now = Math.max(now, next.due);
        next.wake();
        await setImmediate();
      }
      now = until;
      await setImmediate();
    },
  };

  function earliest() {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) if (first === undefined || sleeper.due < first.due) first = sleeper;
    return first;
  }
}

/** The clock for a store: it waits in real time for the locks of other connections, since a test does not know of them. */
export function storeClock(clock: ManualClock): Clock {
  return { ...clock, sleep: systemClock.sleep };
}
