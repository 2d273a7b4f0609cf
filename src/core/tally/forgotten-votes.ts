import { namesOfTarget } from './community.ts';
import { type EventKey, forgottenVoteKey } from './idempotency-key.ts';
import type { ListingContext } from './listing-context.ts';
import type { Tally } from './tally.ts';

/** The keys of a member's last votes for the target of a listing, one for each of its names. */
export function forgottenVoteKeys(userId: string, { name, community }: ListingContext): readonly EventKey[] {
  return namesOfTarget(community, name).map((each) => forgottenVoteKey(userId, each));
}

/** The last votes for the target of a listing from before the member was forgotten (ms since the epoch). */
export function forgottenVotesOf(tally: Tally, userId: string, listing: ListingContext): readonly number[] {
  return forgottenVoteKeys(userId, listing).flatMap((key) => tally.forgottenVoteAt(key) ?? []);
}
