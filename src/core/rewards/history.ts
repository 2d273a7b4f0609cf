import {
  type DaySet,
  hasDay,
  isEmpty,
  lastDayOffset,
  moveWindow,
  noDays,
  unionOf,
  windowDays,
  windowStart,
  withDay,
} from './day-window.ts';
import type { StreakRules } from './rules.ts';
import { type DayStatus, type StepScan, type StreakScan, scanStepDay, scanStreakDay } from './streak-scan.ts';

/**
 * What the rules need to know of the votes of one member in one community. Plain data for a JSON column: about 270 bytes,
 * and 50 plus the name for each listing, however long the history.
 *
 * It holds the calendar of the last 97 to 128 days exactly; earlier days are folded into the streak. So it does not
 * depend on the order in which votes arrive, as long as no vote arrives more than 96 days after a newer one. Such a vote
 * counts for milestones only.
 */
export interface VoteHistory {
  /** Counted votes. */
  readonly votes: number;
  /** First day of the window (day number); null before the first counted vote. */
  readonly start: number | null;
  /** Days in the window with a counted vote, by listing. Listings without any are left out. */
  readonly days: Readonly<Record<string, DaySet>>;
  /** Days in the window for which the bonus for all listings was paid. */
  readonly bonusDays: DaySet;
  readonly streak: StreakHistory;
}

/** The streaks of a member. */
export interface StreakHistory {
  /** The rules that `steps` and `paidSteps` follow; null if there was no reward for streaks at the last vote. */
  readonly rules: Pick<StreakRules, 'every' | 'forgive'> | null;
  /** The streak on the day before the window. */
  readonly folded: Readonly<StreakScan>;
  /** The steps up to the day before the window. */
  readonly foldedSteps: Readonly<StepScan>;
  /** Steps that are paid, or were completed before the rules were in force. */
  readonly paidSteps: number;
  /** Entries for streaks ever written, under any rules. */
  readonly payments: number;
}

const noStreak: StreakScan = { days: 0, missed: 0 };
const noSteps: StepScan = { days: 0, missed: 0, counted: 0, steps: 0 };

/** The history of a member who has not voted. */
export const emptyHistory: VoteHistory = {
  votes: 0,
  start: null,
  days: {},
  bonusDays: noDays,
  streak: { rules: null, folded: noStreak, foldedSteps: noSteps, paidSteps: 0, payments: 0 },
};

/** The days of a member with a counted vote on any listing. */
export function countedDays({ days }: VoteHistory): DaySet {
  return unionOf(Object.values(days));
}

/** The newest day with a counted vote (day number); null if there is none. */
export function newestDay(history: VoteHistory): number | null {
  return history.start === null ? null : history.start + lastDayOffset(countedDays(history));
}

/** The days with a counted vote on a listing. */
export function daysOf({ days }: VoteHistory, listing: string): DaySet {
  return (Object.hasOwn(days, listing) ? days[listing] : undefined) ?? noDays;
}

/** Whether a day is in the window, or would move it. */
export function isRemembered({ start }: VoteHistory, day: number): boolean {
  return start === null || day >= start;
}

/**
 * Adds a counted vote. The streak's rewards are counted separately, see `streak-steps.ts`.
 *
 * @param outageDays days on which receiving was down for six hours or more
 */
export function addVote(
  history: VoteHistory,
  listing: string,
  day: number,
  outageDays: ReadonlySet<number>,
): VoteHistory {
  const votes = history.votes + 1;
  if (!isRemembered(history, day)) return { ...history, votes };
  const moved = withWindow(history, windowStart(day), outageDays);
  const offset = day - moved.start;
  return { ...moved, votes, days: { ...moved.days, [listing]: withDay(daysOf(moved, listing), offset) } };
}

/** Marks the bonus for all listings as paid for a day in the window. */
export function withBonus(history: VoteHistory, offset: number): VoteHistory {
  return { ...history, bonusDays: withDay(history.bonusDays, offset) };
}

/** Follows other rules for streaks. Steps that are complete by then count as paid. */
export function withStreakRules(
  history: VoteHistory,
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
): VoteHistory {
  const { streak } = history;
  if (rules?.every === streak.rules?.every && rules?.forgive === streak.rules?.forgive) return history;
  if (rules === null) {
    const { folded, payments } = streak;
    return { ...history, streak: { ...emptyHistory.streak, folded, payments } };
  }
  const { every, forgive } = rules;
  const followed = { ...streak, rules: { every, forgive }, foldedSteps: noSteps };
  const steps = { ...noSteps };
  scanDays(history, windowDays, outageDays, (status) => scanStepDay(steps, status, every, forgive));
  return { ...history, streak: { ...followed, paidSteps: steps.steps } };
}

/** Calls back for the first `length` days of the window, oldest first. */
export function scanDays(
  history: VoteHistory,
  length: number,
  outageDays: ReadonlySet<number>,
  scan: (status: DayStatus, offset: number) => void,
): void {
  const { start } = history;
  if (start === null) return;
  const days = countedDays(history);
  for (let offset = 0; offset < length; offset += 1) {
    scan(hasDay(days, offset) ? 'counted' : outageDays.has(start + offset) ? 'forgiven' : 'missed', offset);
  }
}

/** Moves the window to a later start, and folds the days before it into the streak. */
function withWindow(
  history: VoteHistory,
  newStart: number,
  outageDays: ReadonlySet<number>,
): VoteHistory & { readonly start: number } {
  const { start, streak } = history;
  if (start === null) return { ...history, start: newStart };
  if (newStart <= start) return { ...history, start };
  const shift = newStart - start;
  const moved = Object.entries(history.days).map(([listing, set]) => [listing, moveWindow(set, shift)] as const);
  const days = Object.fromEntries(moved.filter(([, set]) => !isEmpty(set)));
  const bonusDays = moveWindow(history.bonusDays, shift);
  const folded = foldStreak(history, shift, outageDays);
  return { ...history, start: newStart, days, bonusDays, streak: { ...streak, ...folded } };
}

function foldStreak(history: VoteHistory, length: number, outageDays: ReadonlySet<number>) {
  const { rules, folded, foldedSteps } = history.streak;
  const [streak, steps] = [{ ...folded }, { ...foldedSteps }];
  scanDays(history, length, outageDays, (status) => {
    // Streaks are also shown where they have no reward.
    scanStreakDay(streak, status, rules?.forgive ?? 0);
    if (rules !== null) scanStepDay(steps, status, rules.every, rules.forgive);
  });
  return { folded: streak, foldedSteps: steps };
}
