import { addVote, emptyHistory, type VoteHistory, withBonus, withStreakRules } from './history.ts';
import type { StreakRules } from './rules.ts';
import { completeSteps } from './streak-steps.ts';

/** A counted vote of a member. */
export interface CountedVote {
  readonly listing: string;
  /** Its calendar day in the community's time zone (day number). */
  readonly day: number;
}

/** What a member has been paid for these votes, according to the ledger. */
export interface PaidAchievements {
  /** Entries for streaks. */
  readonly streaks: number;
  /** Days with an entry for all listings (day numbers). */
  readonly bonusDays: Iterable<number>;
}

/**
 * The history of a member from the ledger: when rules are switched on for an existing member, and to check a stored one
 * if its rules have not changed since. All steps of streaks that are complete count as paid.
 *
 * @param votes all counted votes of the member in the community, in any order
 * @param rules the rules for streaks in force
 */
export function rebuildHistory(
  votes: readonly CountedVote[],
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
  paid: PaidAchievements,
): VoteHistory {
  let history = withStreakRules(emptyHistory, rules, outageDays);
  for (const { listing, day } of votes.toSorted((one, other) => one.day - other.day)) {
    history = addVote(history, listing, day, outageDays);
  }
  for (const day of paid.bonusDays) {
    if (history.start !== null && day >= history.start) history = withBonus(history, day - history.start);
  }
  const paidSteps = rules === null ? 0 : completeSteps(history, rules, outageDays).steps;
  return { ...history, streak: { ...history.streak, paidSteps, payments: paid.streaks } };
}
