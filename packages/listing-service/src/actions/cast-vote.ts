import { voteCooldownMs, voteCooldownOf } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import type { ServiceMember } from '../storage/members/members.ts';
import { newDelivery } from '../webhooks/enqueue.ts';
import { votePayload } from '../webhooks/payloads.ts';

/** A vote of a member. */
export interface VoteInput {
  readonly voter: ServiceMember;
  /** `creditsAwarded` in the webhook: a number of credits, or true for the receiver's own amount (default). */
  readonly creditsAwarded?: number | boolean;
  /** The voter uses an ad blocker: the vote counts, but no credits are due. */
  readonly adBlocker?: boolean;
}

/** The result of a vote. `nextVoteAt` is when this user may vote for this listing again (ms since the epoch). */
export interface VoteOutcome {
  /** False during the cooldown. Then nothing is stored. */
  readonly recorded: boolean;
  readonly nextVoteAt: number;
  /** The id of the queued webhook delivery; null if the listing has no webhook for votes. */
  readonly deliveryId: string | null;
}

/** Stores a vote and its webhook delivery in one transaction, unless the cooldown has not ended. */
export async function castVote(
  database: Database,
  listing: Listing,
  input: VoteInput,
  now: number,
): Promise<VoteOutcome> {
  const { voter, adBlocker = false } = input;
  const denialReason = adBlocker ? 'Ad blocker detected' : null;
  const creditsAwarded = adBlocker ? false : (input.creditsAwarded ?? true);
  const details = { voter, at: now, creditsAwarded, adBlocker, denialReason, test: false };
  const delivery = newDelivery(listing.id, votePayload(listing, details), now);
  const vote = { listingId: listing.id, voter, votedAt: now, denialReason, cooldownStart: now - voteCooldownMs };
  const result = await database.engine.recordVote({ ...vote, delivery });
  return result.recorded
    ? { recorded: true, nextVoteAt: now + voteCooldownMs, deliveryId: result.isQueued ? delivery.id : null }
    : { recorded: false, nextVoteAt: voteCooldownOf(result.lastVoteAt, now).nextVoteAt ?? now, deliveryId: null };
}
