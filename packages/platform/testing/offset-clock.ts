import { type Clock, systemClock } from '../src/clock.ts';
import { second } from '../src/durations.ts';

export interface OffsetClock extends Clock {
  /** Advances the wall clock and the monotonic clock by `ms`, and wakes the sleepers that are due then. */
  advance(ms: number): void;
  /** Shifts only the wall clock by `ms`, backwards if negative. */
  shiftWallClock(ms: number): void;
}

/** The system clock with adjustable offsets. */
export function createOffsetClock(): OffsetClock {
  let elapsed = 0;
  let shift = 0;
  let advanced = new AbortController();
  const monotonic = () => systemClock.monotonic() + elapsed;

  return {
    ...systemClock,
    now: () => systemClock.now() + elapsed + shift,
    monotonic,
    async sleep(ms, signal) {
      const due = monotonic() + ms;
      do {
        const ends = [advanced.signal, ...(signal ? [signal] : [])];
        await systemClock.sleep(due - monotonic(), AbortSignal.any(ends));
      } while (signal?.aborted !== true && monotonic() < due);
    },
    advance(ms) {
      elapsed += ms;
      const sleepers = advanced;
      advanced = new AbortController();
      sleepers.abort();
    },
    shiftWallClock(ms) {
      shift += ms;
    },
  };
}

/** Lets a second pass every 50 ms until the promise settles, for what waits until a timeout ends. */
export function passTime<Value>(clock: OffsetClock, promise: Promise<Value>): Promise<Value> {
  const timer = setInterval(() => clock.advance(second), 50);
  return promise.finally(() => clearInterval(timer));
}
