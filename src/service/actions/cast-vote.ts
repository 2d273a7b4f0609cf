import { voteCooldown, voteCooldownOf } from '../listing/cooldown.ts';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember } from '../storage/members.ts';
import { insertVote, lastVoteAt } from '../storage/votes.ts';
import { enqueue } from '../webhooks/enqueue.ts';
import { votePayload } from '../webhooks/payloads.ts';

export interface VoteInput {
  readonly voter: ServiceMember;
  /** What the webhook says of credits: an amount, or true where the receiver's own amount is due (default). */
  readonly creditsAwarded?: number | boolean;
  /** The service saw an ad blocker: the vote counts and nothing is due for it. */
  readonly adBlocker?: boolean;
}

/** What became of a vote. `nextVoteAt` is when this user may vote for this listing again (ms since the epoch). */
export interface VoteOutcome {
  /** False while the cooldown runs; then nothing was written. */
  readonly recorded: boolean;
  readonly nextVoteAt: number;
  /** The webhook that was queued for it, if the owner wants any. */
  readonly deliveryId: string | null;
}

/** A user votes: the vote and its webhook are kept together, or the cooldown refuses both. */
export function castVote(database: Database, listing: Listing, ballot: VoteInput, now: number): Promise<VoteOutcome> {
  const { voter, adBlocker = false } = ballot;
  const denialReason = adBlocker ? 'Ad blocker detected' : null;
  const creditsAwarded = adBlocker ? false : (ballot.creditsAwarded ?? true);
  return database.transaction().execute(async (sql) => {
    const vote = { listingId: listing.id, userId: voter.userId, votedAt: now, denialReason };
    if (!(await insertVote(sql, vote, now - voteCooldown))) {
      const standing = voteCooldownOf(await lastVoteAt(sql, listing.id, voter.userId), now);
      return { recorded: false, nextVoteAt: standing.nextVoteAt ?? now, deliveryId: null };
    }
    await upsertMember(sql, voter);
    const facts = { voter, at: now, creditsAwarded, adBlocker, denialReason, test: false };
    const delivery = await enqueue(sql, listing.id, votePayload(listing, facts), now);
    return { recorded: true, nextVoteAt: now + voteCooldown, deliveryId: delivery?.id ?? null };
  });
}
