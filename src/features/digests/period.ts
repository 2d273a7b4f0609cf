import { day, hour, minute, second } from '@tallyhook/platform/durations';
import type { Calendar } from '../../core/rewards/calendar.ts';

/**
 * A delivery is answered within 5 s, so this long after a period every vote of it is stored, also by clocks that differ
 * a little (ms).
 */
export const settleMs = 15 * second;
/** After a longer downtime, a digest has the votes of this time only, or of one interval (ms). */
const maxPeriodMs = day;
/** A time that is further ahead was written by a clock that was ahead (ms). */
const clockToleranceMs = minute;

/** Times are ms since the epoch. */
export interface Period {
  readonly from: number;
  /** Exclusive. */
  readonly until: number;
}

/**
 * The latest end of an interval up to a time. Intervals start with the calendar day, and those of several days with a
 * Monday if it is weeks. The hour by which a change of the clock lengthens a day belongs to its last interval, unless
 * that is short.
 */
export function intervalEnd(calendar: Calendar, everyMs: number, at: number): number {
  const today = calendar.dayAt(at);
  const days = everyMs / day;
  // Day 0 is a Thursday, so that day 4 is a Monday.
  if (days > 1) return calendar.startOf(today - ((((today - 4) % days) + days) % days));
  const start = calendar.startOf(today);
  const last = everyMs > hour ? Math.ceil(day / everyMs) - 1 : Number.POSITIVE_INFINITY;
  return start + Math.min(last, Math.floor((at - start) / everyMs)) * everyMs;
}

/**
 * The period of the next digest; null if it has not ended. The first one is empty, and only fixes where the next one
 * starts.
 * @param announcedUntil the end of the last one; null before the first
 */
export function nextPeriod(
  announcedUntil: number | null,
  { calendar, everyMs, now }: { readonly calendar: Calendar; readonly everyMs: number; readonly now: number },
): Period | null {
  const until = intervalEnd(calendar, everyMs, now - settleMs);
  if (announcedUntil === null || announcedUntil > now + clockToleranceMs) return { from: until, until };
  if (announcedUntil >= until) return null;
  // An interval of days is longer than its duration if the clock is set back in it.
  const earliest = Math.min(until - maxPeriodMs, intervalEnd(calendar, everyMs, until - 1));
  return { from: Math.max(announcedUntil, earliest), until };
}
