import type { Vote } from '../../webhook/event.ts';
import { lastVoteIn } from '../ledger/account.ts';
import { accountIdOf } from '../ledger/account-id.ts';
import { isCountedVote } from '../ledger/entry.ts';
import { untimedRepeatWindowMs } from '../ledger/reward-rules.ts';
import type { AccountState } from './account-state.ts';
import { namesOfTarget } from './community.ts';
import { forgottenVotesOf } from './forgotten-votes.ts';
import { voteKey } from './idempotency-key.ts';
import type { PastVote, RecordedDelivery } from './tally.ts';
import { isWithinCooldown, voteRewards, votesForTarget } from './vote-rewards.ts';
import { type RecordingContext, writeDuplicate, writeEvent } from './write-event.ts';

/** Records a vote with all that it earns, or as a duplicate. */
export function recordVote(vote: Vote, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const account = tally.accountState(accountIdOf(listing.community.accounts, vote.userId));
  const at = vote.at ?? receivedAt;
  const withinCooldown = isWithinCooldown(tally, account, listing, at);
  const repeated = vote.at === null ? findRepeatedVote(receivedAt, withinCooldown, account, context) : undefined;
  if (repeated !== undefined) return writeDuplicate(vote, repeated.deliveryId, context);
  const isKnown = isForgottenVote(vote, at, withinCooldown, context) || isKnownByOtherName(vote, context);
  if (isKnown) return writeDuplicate(vote, null, context);
  const eventKey = voteKey(vote, listing.name, receivedAt);
  const now = rowWriter.effectsCreatedAt;
  const rewards = voteRewards(tally, { vote, listing, account, at, withinCooldown, now });
  return writeEvent(vote, { ...rewards, eventKey }, context);
}

/**
 * The earlier vote that a vote without a timestamp repeats: all such votes within one cooldown are the same vote. A
 * replayed vote is also compared with later ones. A vote that may be paid repeats only votes that count; otherwise a
 * rejected repeat would cost the member the next vote. A vote within the cooldown also repeats uncounted ones, so that
 * it is announced once.
 */
function findRepeatedVote(
  receivedAt: number,
  withinCooldown: boolean,
  account: AccountState,
  { tally, listing }: RecordingContext,
): PastVote | undefined {
  const windowMs = untimedRepeatWindowMs(listing.rewards.base);
  const after = receivedAt - windowMs;
  const last = lastVoteIn(account.lastVotes, namesOfTarget(listing.community, listing.name));
  if (!withinCooldown && (last === null || last <= after)) return undefined;
  const votes = votesForTarget(tally, account, listing, after, receivedAt + windowMs);
  return votes.find(({ cause, untimed }) => untimed && (withinCooldown || isCountedVote(cause)));
}

/** Whether the vote was received for another listing with the same target. */
function isKnownByOtherName(vote: Vote, { tally, listing, delivery }: RecordingContext): boolean {
  if (vote.at === null) return false;
  const others = namesOfTarget(listing.community, listing.name).filter((name) => name !== listing.name);
  return others.some((name) => tally.hasEvent(voteKey(vote, name, delivery.receivedAt)));
}

/**
 * Whether a vote that may be paid repeats one from before its member was forgotten: one without a timestamp, or a
 * claimed one whose delivery comes late. The account, with whose last votes it would be compared, is a new one.
 */
function isForgottenVote(
  { userId, at: timestamp }: Vote,
  at: number,
  withinCooldown: boolean,
  { tally, listing }: RecordingContext,
): boolean {
  if (withinCooldown && timestamp !== null) return false;
  const forgottenAt = forgottenVotesOf(tally, userId, listing);
  return forgottenAt.some((time) => Math.abs(at - time) < untimedRepeatWindowMs(listing.rewards.base));
}
