import { day } from '@tallyhook/platform/durations';
import { type Vote, type VoteAtSite, voteKindOf } from '../../webhook/event.ts';
import { accountIdOf } from '../ledger/account.ts';
import { type Cause, isCountedVote } from '../ledger/entry.ts';
import { creditsOf, maxSameVoteGapMs, minVoteGapMs } from '../rewards/reward.ts';
import { namesOfTarget } from './community.ts';
import { voteKey } from './idempotency-key.ts';
import type { ListingContext } from './listing-context.ts';
import { forgottenVotesOf, voteRewards, votesForTarget } from './record-vote.ts';
import type { PastVote, Tally } from './tally.ts';
import { announce, callHook } from './write-event.ts';

/** Older votes cannot be claimed: they may be from before the bot was installed (ms). */
export const maxClaimAgeMs = 7 * day;

/** A vote that the service reports, but of which no delivery may have arrived. */
export interface Claim {
  readonly userId: string;
  /** The time of the vote according to the service (ms since the epoch). */
  readonly at: number;
  /** What another site says of it. */
  readonly atSite?: Omit<VoteAtSite, 'id'>;
  /** Whether it is announced, because its member learns of it from no reply. */
  readonly isAnnounced?: boolean;
}

/** The result of a claim. Nothing was written unless it is `claimed`. Times are ms since the epoch. */
export type ClaimResult =
  /** `credits`: all that the vote earned; `balance`: with them. */
  | { readonly outcome: 'claimed'; readonly credits: number; readonly balance: number }
  /** The ledger has a counted vote of `at`, which is this one or too close to it. `credits`: of that vote alone. */
  | {
      readonly outcome: 'recorded';
      readonly at: number;
      readonly cause: Cause;
      readonly credits: number;
      readonly reason: string | null;
    }
  /** The vote was paid to an account that the member had forgotten. */
  | { readonly outcome: 'forgotten' };

/**
 * Records a vote without a delivery, unless the ledger has it under any name of its target, inside the caller's
 * transaction. A delivery that arrives later is within its cooldown, and pays nothing.
 */
export function recordClaim(tally: Tally, claim: Claim, listing: ListingContext, now: number): ClaimResult {
  const { userId, at } = claim;
  const account = tally.accountState(accountIdOf(listing.community.id, userId));
  const { base } = listing.rewards;
  const gapMs = Math.max(minVoteGapMs(base), maxSameVoteGapMs(base) + 1);
  const recorded = nearest(votesForTarget(tally, account, listing, at - gapMs, at + gapMs), at);
  if (recorded !== null) {
    const { cause, credits, at: recordedAt, reason } = recorded;
    return { outcome: 'recorded', at: recordedAt, cause, credits, reason };
  }
  const vote = voteOf(claim, listing);
  const isForgotten = forgottenVotesOf(tally, userId, listing).some((time) => Math.abs(time - at) < gapMs);
  const keys = namesOfTarget(listing.community, listing.name).map((name) => voteKey(vote, { ...listing, name }, now));
  if (isForgotten || keys.some((key) => tally.hasEvent(key))) return { outcome: 'forgotten' };

  const rewards = voteRewards(tally, { vote, listing, account, at, now, withinCooldown: false });
  const { entries, streak, reached } = rewards;
  const common = { accountId: account.id, listing: listing.name, at, deliveryId: null, untimed: false };
  let updated = rewards.account;
  for (const [index, entry] of entries.entries()) {
    updated = tally.append(updated, { ...common, ...entry, ...(index === 0 ? { cause: 'claim' } : {}) });
  }
  const roles = rewards.apply(null);
  if (claim.isAnnounced) {
    const balance = updated.credits;
    announce(vote, { entries, balance, streak, roles, receivedAt: now }, { tally, listing, deliveryId: null, now });
  }
  // Elsewhere, a delivery that arrives later is within the cooldown.
  if (base.site !== undefined) tally.addEvent(voteKey(vote, listing, now));
  if (streak !== null) {
    const nextVoteAt = claim.atSite?.nextVoteAt ?? null;
    const claimed = { listing, deliveryId: null, at, now, entries, account: updated, streak, reached, nextVoteAt };
    for (const { afterVote } of tally.hooks) callHook(afterVote, tally, claimed);
  }
  return { outcome: 'claimed', credits: creditsOf(entries), balance: updated.credits };
}

/** The counted vote that is closest to the time. */
function nearest(votes: readonly PastVote[], at: number): PastVote | null {
  const [closest = null] = votes
    .filter(({ cause }) => isCountedVote(cause))
    .sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at));
  return closest;
}

function voteOf({ userId, at, atSite }: Claim, { kind }: ListingContext): Vote {
  return {
    family: 'vote',
    kind: voteKindOf(kind),
    target: { kind, id: null },
    userId,
    at,
    creditsAwarded: null,
    denial: null,
    ...(atSite && { atSite: { ...atSite, id: null } }),
  };
}
