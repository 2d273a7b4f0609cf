import { firstDayOffset, formatDay, lastDayOffset } from './calendar.ts';
import {
  addVote,
  countedDays,
  newestDay,
  type StreakScan,
  scanDays,
  scanStepDay,
  scanStreakDay,
  type VoteHistory,
  withStreakRules,
} from './history.ts';
import type { RewardEntry } from './reward.ts';
import type { StreakRules } from './rules.ts';

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

/**
 * The days of a streak at the beginning of a day, by the votes before it, all of whose days are over; null if the history
 * begins later.
 * @param day day number
 */
export function streakBefore(history: VoteHistory, day: number, { forgive, outageDays }: StreakContext): number | null {
  const { start, streak } = history;
  if (start === null || start > day) return null;
  const scan = { ...streak.folded };
  scanDays(history, day - start, outageDays, (status) => scanStreakDay(scan, status, forgive));
  return scan.days;
}

/** A completed step of a streak. */
interface Step {
  /** The day that completed it (day number). */
  readonly day: number;
  /** Counted days of the streak on that day. */
  readonly days: number;
}

/** The steps of streaks that a vote completes. */
interface StreakRewards {
  readonly entries: readonly RewardEntry[];
  readonly history: VoteHistory;
  /** The counted days of the streak of each completed step, also if steps pay nothing. */
  readonly days: readonly number[];
}

/**
 * The entries for steps of streaks that are complete and not yet paid. There is at most one, unless days of an outage
 * were added. Its achievement is numbered: a late vote moves the days on which later steps are complete, so a date
 * could name two of them.
 *
 * @param history with the vote, and with the same rules
 * @param voteDay the day of the vote (day number)
 */
export function streakRewards(
  history: VoteHistory,
  rules: StreakRules,
  voteDay: number,
  outageDays: ReadonlySet<number>,
): StreakRewards {
  const { streak } = history;
  const { steps, completed } = completeSteps(history, rules, outageDays);
  const due = selectDue(completed, steps - streak.paidSteps, voteDay);
  const days = due.map((step) => step.days);
  if (due.length === 0) return { entries: [], history, days };
  const paidSteps = streak.paidSteps + due.length;
  // The steps of streaks without a reward are counted too, so that a reward that is added later pays none of them.
  if (rules.credits === 0) return { entries: [], history: { ...history, streak: { ...streak, paidSteps } }, days };
  const entries = due.map(({ day, days }, index): RewardEntry => {
    const achievement = `streak ${streak.payments + index + 1}`;
    const reason = `${days} days on ${formatDay(day)}`;
    return { cause: 'streak', credits: rules.credits, reason, achievement, count: days };
  });
  const payments = streak.payments + due.length;
  return { entries, history: { ...history, streak: { ...streak, paidSteps, payments } }, days };
}

/** All steps that are complete, paid or not, and those in the window in detail. */
export function completeSteps(
  history: VoteHistory,
  { every, forgive }: StreakRules,
  outageDays: ReadonlySet<number>,
): { readonly steps: number; readonly completed: readonly Step[] } {
  const streak = { ...history.streak.folded };
  const progress = { ...history.streak.foldedSteps };
  const completed: Step[] = [];
  scanDays(history, lastDayOffset(countedDays(history)) + 1, outageDays, (status, offset) => {
    scanStreakDay(streak, status, forgive);
    if (scanStepDay(progress, status, every, forgive)) {
      completed.push({ day: (history.start ?? 0) + offset, days: Math.max(every, streak.days) });
    }
  });
  return { steps: progress.steps, completed };
}

/** A late vote completes the step around its day; the steps after it are among those that were paid. */
function selectDue(completed: readonly Step[], count: number, voteDay: number): readonly Step[] {
  if (count <= 0) return [];
  const around = completed.findIndex(({ day }) => day >= voteDay);
  const last = completed.length - count;
  const first = Math.max(0, around === -1 ? last : Math.min(around, last));
  return completed.slice(first, first + count);
}

/**
 * Adds a counted vote that earns nothing, such as one from another program. Steps of streaks that are complete with it
 * count as paid.
 */
export function addPastVote(
  history: VoteHistory,
  { listing, day }: { readonly listing: string; readonly day: number },
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
): VoteHistory {
  const counted = addVote(withStreakRules(history, rules, outageDays), listing, day, outageDays);
  if (rules === null) return counted;
  const paidSteps = Math.max(counted.streak.paidSteps, completeSteps(counted, rules, outageDays).steps);
  return { ...counted, streak: { ...counted.streak, paidSteps } };
}
