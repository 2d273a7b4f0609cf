import { type ManualClock, manualClock } from '../support/manual-clock.ts';

export interface LeapingClock extends ManualClock {
  /** Moves time on by `ms` and wakes nobody, for tests that need a later hour and no loop to run through the hours before. */
  leap(ms: number): void;
}

export function leapingClock(): LeapingClock {
  const manual = manualClock();
  let ahead = 0;
  return {
    ...manual,
    now: () => manual.now() + ahead,
    monotonic: () => manual.monotonic() + ahead,
    leap(ms) {
      ahead += ms;
    },
  };
}
