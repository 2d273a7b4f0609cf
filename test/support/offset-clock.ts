import { type Clock, systemClock } from '../../src/platform/clock.ts';

export interface OffsetClock extends Clock {
  /** Lets so many ms pass at once. */
  advance(ms: number): void;
  /** Sets the wall clock by `ms`, back where that is negative. No time passes. */
  shiftWallClock(ms: number): void;
}

/** The machine's time, which can also be made later. */
export function createOffsetClock(): OffsetClock {
  let later = 0;
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + later + ahead,
    monotonic: () => systemClock.monotonic() + later,
    advance(ms) {
      later += ms;
    },
    shiftWallClock(ms) {
      ahead += ms;
    },
  };
}
