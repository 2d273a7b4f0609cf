import { type Entry, isCountedVote, rewardCauses } from '../ledger/entry.ts';
import { addVote, emptyHistory, type VoteHistory, withBonus, withStreakRules } from './history.ts';
import { bonusDaysIn } from './multipliers.ts';
import { addToScores, noScores, type PeriodScores } from './period-scores.ts';
import type { ReplayListing } from './replay-votes.ts';
import type { ListingRewards, StreakRules } from './rules.ts';
import { completeSteps } from './streak-steps.ts';

/** An entry of an account, as far as its history depends on it. */
export type HistoricEntry = Pick<Entry, 'listing' | 'cause' | 'credits' | 'at' | 'achievement'>;

/**
 * The history and the scores of an account from its entries alone. The numbers of paid steps of
 * streaks stay, so that no later step has the number of an earlier one.
 */
export function historyOfEntries(
  entries: readonly HistoricEntry[],
  rules: Pick<ReplayListing, 'calendar' | 'outageDays'> & { readonly rewards: Pick<ListingRewards, 'streak'> },
): { readonly history: VoteHistory; readonly scores: PeriodScores } {
  const { rewards, calendar, outageDays } = rules;
  const dayOf = ({ at }: HistoricEntry) => calendar.dayAt(at);
  const counted = entries.filter(({ cause }) => isCountedVote(cause));
  const votes = counted.map((entry) => ({ listing: entry.listing ?? '', day: dayOf(entry) }));
  const achievements = entries.flatMap(({ achievement }) => achievement ?? []);
  const streaks = Math.max(0, ...achievements.map((achievement) => numberAfter('streak ', achievement)));
  return {
    history: rebuildHistory(votes, rewards.streak, outageDays, { streaks, bonusDays: bonusDaysIn(achievements) }),
    scores: entries
      .filter(({ cause }) => rewardCauses.includes(cause))
      .toSorted((one, other) => one.at - other.at)
      .reduce(
        (scores, entry) => addToScores(scores, dayOf(entry), isCountedVote(entry.cause) ? 1 : 0, entry.credits),
        noScores,
      ),
  };
}

/** Checks whether an achievement is a milestone of more votes than the account has. Then it can be reached again. */
export function isUnreachedMilestone(achievement: string | null, votes: number): boolean {
  return achievement !== null && numberAfter('milestone ', achievement) > votes;
}

/** The number after a prefix; 0 for any other text. */
function numberAfter(prefix: string, text: string): number {
  return text.startsWith(prefix) ? Number.parseInt(text.slice(prefix.length), 10) || 0 : 0;
}

/**
 * The history of a member from the ledger: after some of the votes count no longer, and before votes that are paid
 * again by other rules. All steps of streaks that are complete count as paid.
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
