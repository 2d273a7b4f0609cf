import type { ListingContext } from '../../core/tally/listing-context.ts';
import { partyPeriodAt } from '../../core/tally/party.ts';
import type { RewardStore } from '../../core/tally/reward-store.ts';

/**
 * Counted votes in the current period of the community's party, and its goal; null without a party.
 * @param now ms since the epoch
 */
export async function currentParty(
  rewards: Pick<RewardStore, 'party'>,
  listings: readonly ListingContext[],
  now: number,
): Promise<{
  readonly period: string;
  readonly votes: number;
  readonly goal: number;
  readonly credits: number;
} | null> {
  const listing = listings.find((each) => each.rewards.party !== null);
  const period = listing === undefined ? null : partyPeriodAt(listing, now);
  if (period === null) return null;
  const { votes } = await rewards.party(period);
  const { goal = 0, credits = 0 } = listing?.rewards.party ?? {};
  return { period, votes, goal, credits };
}
