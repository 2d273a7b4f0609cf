import { type Entry, isCountedVote, rewardCauses } from '../ledger/entry.ts';
import { bonusDaysIn } from './all-listings.ts';
import type { VoteHistory } from './history.ts';
import { addToScores, noScores, type PeriodScores } from './period-scores.ts';
import { rebuildHistory } from './rebuild-history.ts';
import type { ReplayListing } from './replay-votes.ts';
import type { ListingRewards } from './rules.ts';

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

/** Whether an achievement is a milestone of more votes than the account has. Then it can be reached again. */
export function isUnreachedMilestone(achievement: string | null, votes: number): boolean {
  return achievement !== null && numberAfter('milestone ', achievement) > votes;
}

/** The number after a prefix; 0 for any other text. */
function numberAfter(prefix: string, text: string): number {
  return text.startsWith(prefix) ? Number.parseInt(text.slice(prefix.length), 10) || 0 : 0;
}
