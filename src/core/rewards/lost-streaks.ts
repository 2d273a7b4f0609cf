import { scanDays, scanStreakDay, type VoteHistory } from './history.ts';
import type { StreakContext } from './streak.ts';

/**
 * The days of the last streak that ended on one of these days; 0 if none did. A streak ends with the first day on which
 * too many are missed; days that are forgiven, and those of an outage, do not end it.
 *
 * @param from the first day (day number)
 * @param until the day after the last one; all of them are over
 */
export function lostStreak(
  history: VoteHistory,
  { from, until }: { readonly from: number; readonly until: number },
  { forgive, outageDays }: StreakContext,
): number {
  const { start } = history;
  if (start === null) return 0;
  const scan = { ...history.streak.folded };
  let lost = 0;
  scanDays(history, until - start, outageDays, (status, offset) => {
    const { days } = scan;
    scanStreakDay(scan, status, forgive);
    if (days > 0 && scan.days === 0 && start + offset >= from) lost = days;
  });
  return lost;
}
