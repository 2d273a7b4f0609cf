import { type Clock, systemClock } from '../../src/platform/clock.ts';

export interface OffsetClock extends Clock {
  /** Advances the wall clock and the monotonic clock by `ms`. */
  advance(ms: number): void;
  /** Shifts only the wall clock by `ms`, backwards if negative. */
  shiftWallClock(ms: number): void;
}

/** The system clock with adjustable offsets. */
export function createOffsetClock(): OffsetClock {
  let elapsed = 0;
  let shift = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + elapsed + shift,
    monotonic: () => systemClock.monotonic() + elapsed,
    advance(ms) {
      elapsed += ms;
    },
    shiftWallClock(ms) {
      shift += ms;
    },
  };
}
