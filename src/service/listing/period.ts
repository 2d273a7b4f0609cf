import { day } from '../../platform/durations.ts';

/** When a paid period that begins at `start` ends (both ms since the epoch); null for a lifetime. */
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

/** The same day of the next month in UTC, or that month's last day where it is shorter. */
function nextMonth(start: number): number {
  const from = new Date(start);
  const next = new Date(start);
  next.setUTCMonth(from.getUTCMonth() + 1);
  if (next.getUTCDate() !== from.getUTCDate()) next.setUTCDate(0);
  return next.getTime();
}

/** When the current calendar month began, in UTC (ms since the epoch); `monthlyVotes` counts from there. */
export function startOfMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}
