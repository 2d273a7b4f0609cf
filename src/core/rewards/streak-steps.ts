import { formatDay } from './calendar.ts';
import { lastDayOffset } from './day-window.ts';
import {
  addVote,
  countedDays,
  scanDays,
  scanStepDay,
  scanStreakDay,
  type VoteHistory,
  withStreakRules,
} from './history.ts';
import type { RewardEntry } from './reward.ts';
import type { StreakRules } from './rules.ts';

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
