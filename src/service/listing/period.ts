import { day } from '../../platform/durations.ts';

/** The end of a paid period that begins at `start` (both ms since the epoch), or null for a lifetime. */
export function endOfPeriod(duration: 'weekly' | 'monthly' | 'lifetime', start: number): number | null {
  switch (duration) {
    case 'weekly':
      return start + 7 * day;
    case 'monthly':
      return nextMonth(start);
    case 'lifetime':
      return null;
  }
}

/** The same day of the next month in UTC, or the last day of that month if it is shorter. */
function nextMonth(start: number): number {
  const startDate = new Date(start);
  const next = new Date(start);
  next.setUTCMonth(startDate.getUTCMonth() + 1);
  if (next.getUTCDate() !== startDate.getUTCDate()) next.setUTCDate(0);
  return next.getTime();
}

/** The calendar month of a time (ms since the epoch) in UTC: 202612. `monthlyVotes` counts from this month. */
export function monthNumber(now: number): number {
  const date = new Date(now);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}
