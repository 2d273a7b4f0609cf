import { voteCooldownMs, voteCooldownOf } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember } from '../storage/members.ts';
import { insertVote, lastVoteAt } from '../storage/votes.ts';
import { enqueue } from '../webhooks/enqueue.ts';
import { votePayload } from '../webhooks/payloads.ts';

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
export function castVote(database: Database, listing: Listing, input: VoteInput, now: number): Promise<VoteOutcome> {
  const { voter, adBlocker = false } = input;
  const denialReason = adBlocker ? 'Ad blocker detected' : null;
  const creditsAwarded = adBlocker ? false : (input.creditsAwarded ?? true);
  return database.transaction().execute(async (sql) => {
    const vote = { listingId: listing.id, userId: voter.userId, votedAt: now, denialReason };
    if (!(await insertVote(sql, vote, now - voteCooldownMs))) {
      const cooldown = voteCooldownOf(await lastVoteAt(sql, listing.id, voter.userId), now);
      return { recorded: false, nextVoteAt: cooldown.nextVoteAt ?? now, deliveryId: null };
    }
    await upsertMember(sql, voter);
    const details = { voter, at: now, creditsAwarded, adBlocker, denialReason, test: false };
    const delivery = await enqueue(sql, listing.id, votePayload(listing, details), now);
    return { recorded: true, nextVoteAt: now + voteCooldownMs, deliveryId: delivery?.id ?? null };
  });
}
