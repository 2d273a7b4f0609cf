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
} from './calendar.ts';
import type { StreakRules } from './rules.ts';

/**
 * The votes of one member in one community, as far as the rules need them. Plain data for a JSON column: about 270
 * bytes, and 50 plus the name for each listing, however long the history.
 *
 * It holds the calendar of the last 97 to 128 days exactly; earlier days are folded into the streak. So it does not
 * depend on the order in which votes arrive, as long as no vote arrives more than 96 days after a newer one. Such a
 * vote counts for milestones only.
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

/** Checks whether a day is in the window, or would move it. */
function isRemembered({ start }: VoteHistory, day: number): boolean {
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

/** Calls back for the first `length` days of the window, oldest first. @param from the days before it are left out */
export function scanDays(
  history: VoteHistory,
  length: number,
  outageDays: ReadonlySet<number>,
  scan: (status: DayStatus, offset: number) => void,
  from = 0,
): void {
  const { start } = history;
  if (start === null) return;
  const days = countedDays(history);
  for (let offset = from; offset < length; offset += 1) {
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

/*
 * Two automata that read a member's calendar in order, one day at a time. They keep the last seven days as bits (bit n:
 * n days ago), so they can stop at any day and continue from there. They change their state in place, because a
 * decision reads up to 128 days.
 */

/** A day of a member's calendar. `forgiven`: no counted vote, but receiving was down, so it is not missed. */
type DayStatus = 'counted' | 'forgiven' | 'missed';

/** A streak up to a day. */
export interface StreakScan {
  /** Counted days of the streak; 0 if there is none. */
  days: number;
  /** Missed days of the streak within the last seven days (bits). */
  missed: number;
}

/** The rewarded steps of streaks up to a day. */
interface StepScan extends StreakScan {
  /**
   * Counted days towards the next step within the last seven days (bits). `days` and `missed` are those of the step.
   */
  counted: number;
  /** Completed steps. */
  steps: number;
}

const sevenDays = 0b111_1111;

/**
 * Continues a streak with the next day. A missed day in excess of `forgive` within seven ends it; nothing is left of
 * it.
 */
export function scanStreakDay(scan: StreakScan, status: DayStatus, forgive: number): void {
  scan.missed = (scan.missed << 1) & sevenDays;
  if (status === 'counted') scan.days += 1;
  if (status !== 'missed' || scan.days === 0) return;
  scan.missed |= 1;
  if (countBits(scan.missed) <= forgive) return;
  scan.days = 0;
  scan.missed = 0;
}

/**
 * Continues with the next day, and returns whether it completes a step. A step is `every` successive counted days with
 * at most `forgive` missed ones in any seven days between its first and its last; no day belongs to two steps. Each
 * step is completed as early as possible, which gives the most steps.
 *
 * A missed day too many removes only the days up to the oldest missed one from the step, unlike from the streak that
 * members see. Therefore another counted day never makes steps fewer, and the number depends only on the set of days.
 */
export function scanStepDay(scan: StepScan, status: DayStatus, every: number, forgive: number): boolean {
  scan.missed = (scan.missed << 1) & sevenDays;
  scan.counted = (scan.counted << 1) & sevenDays;
  if (status === 'counted') {
    scan.days += 1;
    scan.counted |= 1;
    if (scan.days < every) return false;
    scan.steps += 1;
    scan.days = scan.missed = scan.counted = 0;
    return true;
  }
  if (status === 'missed' && scan.days > 0) {
    scan.missed |= 1;
    if (countBits(scan.missed) > forgive) startAfterOldestMissed(scan);
  }
  return false;
}

function startAfterOldestMissed(scan: StepScan): void {
  scan.counted &= bitsBelowHighest(scan.missed);
  scan.missed &= bitsBelowHighest(scan.counted);
  scan.days = countBits(scan.counted);
}

/** All bits that are lower than the highest one that is set; 0 for 0. */
function bitsBelowHighest(bits: number): number {
  return bits === 0 ? 0 : (1 << (31 - Math.clz32(bits))) - 1;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
