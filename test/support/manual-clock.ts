import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on by `ms`, waking each sleeper at its moment and letting it run before time moves further. */
  advance(ms: number): Promise<void>;
  /** Sets the wall clock by `ms`, back where that is negative. No time passes. */
  shiftWallClock(ms: number): void;
  /** How many sleep on it just now. */
  sleepers(): number;
}

/** A clock that stands still until it is told to move. Its chance is always one half. */
export function manualClock(start: number = Date.UTC(2026, 0, 1)): ManualClock {
  const sleepers = new Set<{ readonly due: number; readonly wake: () => void }>();
  let now = start;
  let ahead = 0;

  return {
    now: () => now + ahead,
    monotonic: () => now - start,
    shiftWallClock(ms) {
      ahead += ms;
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
    return [...sleepers].sort((a, b) => a.due - b.due)[0];
  }
}
