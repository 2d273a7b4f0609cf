import { type Clock, systemClock } from '../../src/platform/clock.ts';

export interface LaterClock extends Clock {
  /** Lets so many ms pass at once. */
  pass(ms: number): void;
  /** Sets the wall clock by `ms`, back where that is negative. No time passes. */
  set(ms: number): void;
}

/** The machine's time, which can also be made later. */
export function laterClock(): LaterClock {
  let later = 0;
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + later + ahead,
    monotonic: () => systemClock.monotonic() + later,
    pass(ms) {
      later += ms;
    },
    set(ms) {
      ahead += ms;
    },
  };
}
