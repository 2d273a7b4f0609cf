import { addVote, emptyHistory, type VoteHistory, withBonus, withStreakRules } from './history.ts';
import type { StreakRules } from './rules.ts';
import { completeSteps } from './streak-steps.ts';

/**
 * The history of a member from the ledger: after some of the votes count no longer, and before votes that are paid again
 * by other rules. All steps of streaks that are complete count as paid.
 *
 * @param votes all counted votes of the member in the community, in any order, with their calendar days (day numbers)
 * @param rules the rules for streaks in force
 * @param paid what the member has been paid for these votes, according to the ledger: the number of entries for streaks,
 *   and the days with an entry for all listings (day numbers)
 */
export function rebuildHistory(
  votes: readonly { readonly listing: string; readonly day: number }[],
  rules: StreakRules | null,
  outageDays: ReadonlySet<number>,
  paid: { readonly streaks: number; readonly bonusDays: Iterable<number> },
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
