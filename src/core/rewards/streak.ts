import { firstDayOffset } from './day-window.ts';
import { countedDays, newestDay, type StreakScan, scanDays, scanStreakDay, type VoteHistory } from './history.ts';

/** A streak in day numbers. */
export interface StreakInDays {
  /** Calendar days with a counted vote; 0 if there is no streak. */
  readonly days: number;
  /** The streak ends with this day if no vote is counted by then; 0 if there is no streak. */
  readonly lastDay: number;
}

export interface StreakContext {
  /** Missed days in any seven that do not end a streak, 0 to 6. */
  readonly forgive: number;
  /** Days on which receiving was down for six hours or more (day numbers). They are not missed. */
  readonly outageDays: ReadonlySet<number>;
}

const noStreak: StreakInDays = { days: 0, lastDay: 0 };

/**
 * A member's streak on a day. It starts at a day with a counted vote. It ends at the first missed day that makes more
 * than `forgive` missed days in seven since its start; the next counted day starts a new one, for which earlier missed
 * days do not matter. The day itself is not missed before it is over.
 */
export function streakOn(history: VoteHistory, day: number, { forgive, outageDays }: StreakContext): StreakInDays {
  const newest = newestDay(history);
  if (newest === null || history.start === null) return noStreak;
  // The service's clock may be ahead by some minutes, and a vote may arrive late.
  const today = Math.max(newest, day);
  const scan = { ...history.streak.folded };
  // Before the first counted day there is no streak to end.
  const from = scan.days === 0 ? firstDayOffset(countedDays(history)) : 0;
  scanDays(history, newest + 1 - history.start, outageDays, (status) => scanStreakDay(scan, status, forgive), from);
  // Nothing is counted afterwards, so a streak that has ended does not start again.
  for (let later = newest + 1; later < today && scan.days > 0; later += 1)
    scanStreakDay(scan, outageDays.has(later) ? 'forgiven' : 'missed', forgive);
  if (scan.days === 0) return noStreak;
  return {
    days: scan.days,
    lastDay: lastDayToVote(scan, newest === today ? today + 1 : today, { forgive, outageDays }),
  };
}

/** The day that ends the streak if no vote is counted from `day` on. */
function lastDayToVote(scan: StreakScan, day: number, { forgive, outageDays }: StreakContext): number {
  const ahead = { ...scan };
  for (let last = day; ; last += 1) {
    scanStreakDay(ahead, outageDays.has(last) ? 'forgiven' : 'missed', forgive);
    if (ahead.days === 0) return last;
  }
}

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
