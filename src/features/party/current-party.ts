import type { ListingContext } from '../../core/tally/listing-context.ts';
import { partyPeriodAt } from './rules.ts';
import type { PartyStore } from './store.ts';

/** The party of the current period. */
export interface PartyStatus {
  readonly period: string;
  /** Counted votes. */
  readonly votes: number;
  readonly goal: number;
  /** For each voter. */
  readonly credits: number;
}

/**
 * Counted votes in the current period of the community's party, and its goal; null without a party.
 * @param now ms since the epoch
 */
export async function currentParty(
  parties: Pick<PartyStore, 'progress'>,
  listings: readonly ListingContext[],
  now: number,
): Promise<PartyStatus | null> {
  const listing = listings.find((each) => each.rewards.party);
  const period = listing === undefined ? null : partyPeriodAt(listing, now);
  if (period === null) return null;
  const { votes } = await parties.progress(period);
  const { goal = 0, credits = 0 } = listing?.rewards.party ?? {};
  return { period, votes, goal, credits };
}
