import type { Clock } from '@tallyhook/platform/clock';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';

export interface LeapingClock extends ManualClock {
  /**
   * Moves the time forward by `ms` without waking sleepers, for tests that need a later time but no background work.
   */
  leap(ms: number): void;
}

export function leapingClock(start?: number): LeapingClock {
  const clock = manualClock(start);
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

/** A clock whose leaps also move `Date`, by which requests are counted. */
export function withDate(clock: LeapingClock): LeapingClock {
  const date = fixedDate();
  return {
    ...clock,
    leap(ms) {
      clock.leap(ms);
      date.leap(ms);
    },
  };
}

/** The same clock for code that sleeps: the time moves on at once. */
export function withoutWaiting(clock: LeapingClock): Clock {
  return { ...clock, sleep: async (ms) => clock.leap(ms) };
}
