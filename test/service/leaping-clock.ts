import { type ManualClock, manualClock } from '../support/manual-clock.ts';

export interface LeapingClock extends ManualClock {
  /**
   * Moves the time forward by `ms` without waking sleepers, for tests that need a later time but no background work.
   */
  leap(ms: number): void;
}

export function leapingClock(): LeapingClock {
  const clock = manualClock();
  let offsetMs = 0;
  return {
    ...clock,
    now: () => clock.now() + offsetMs,
    monotonic: () => clock.monotonic() + offsetMs,
    leap(ms) {
      offsetMs += ms;
    },
  };
}
