import { newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import { untimedRepeatWindowMs } from '../../core/rewards/reward.ts';
import type { ListingRewards } from '../../core/rewards/rules.ts';
import { type EventKey, isIdentified, type NamedListing, voteKeys } from '../../core/tally/idempotency-key.ts';
import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { writeDuplicate } from '../../core/tally/write-event.ts';
import {
  confirmationKind,
  confirmations,
  confirmRule,
  maxWaiting,
  voteOf,
  type WaitingVote,
  waitingIn,
  waitingRow,
} from './tables.ts';

/** Why a vote that is to be confirmed is in the quarantine. */
export const reasons = {
  waiting: 'the vote waits until its site confirms it',
  refused: 'the site says that the member has not voted',
  unknown: 'the site did not say within 24 hours whether the member has voted',
  tooMany: 'more votes of the member wait for the site than it can have accepted',
} as const;

/** The queue of the votes of a listing whose site is asked: one site that fails delays no other one. */
function confirmationQueue({ name, community }: NamedListing): QueueName {
  return queueName('confirmation', community.id, name);
}

/** The queues that a recorded delivery may have added a confirmation to. */
export function confirmationQueuesOf(
  { reason }: { readonly reason: string | null },
  listings: readonly (NamedListing & { readonly rewards: ListingRewards })[],
): readonly QueueName[] {
  if (reason !== reasons.waiting) return [];
  return listings.flatMap((listing) => (confirmRule.in(listing.rewards) ? confirmationQueue(listing) : []));
}

/**
 * Stores a vote until its site confirms it: its delivery is quarantined, and so recorded by a replay, be it because the
 * site has confirmed it or because the owner releases it. Until then, other deliveries of it are repeats; a different vote
 * of the member waits as well.
 */
export function holdVote(tally: Tally, unrecorded: UnrecordedVote): RecordedDelivery | null {
  const { vote, listing, delivery, rowWriter } = unrecorded;
  const { receivedAt } = delivery;
  const row = tally.rowOf(confirmations, voteOf(listing.name, vote.userId));
  const waiting = waitingIn(row);
  const save = (votes: readonly WaitingVote[]) =>
    tally.saveRow(confirmations, waitingRow(listing.name, vote.userId, votes));
  if (rowWriter.isReleased) {
    const others = waiting.filter(({ deliveryId }) => deliveryId !== rowWriter.replayedId);
    if (others.length < waiting.length) save(others);
    return null;
  }
  const keys: readonly EventKey[] = isIdentified(vote) ? voteKeys(vote, listing, receivedAt) : [];
  const windowMs = untimedRepeatWindowMs(listing.rewards.base);
  const repeated = waiting.find((other) =>
    keys.length > 0
      ? other.keys.some((key) => keys.includes(key))
      : Math.abs((other.at ?? other.receivedAt) - receivedAt) < windowMs,
  );
  if (repeated !== undefined) return writeDuplicate(vote, repeated.deliveryId, { ...unrecorded, tally });
  const isAsked = waiting.length < maxWaiting;
  const reason = isAsked ? reasons.waiting : reasons.tooMany;
  const held = { ...delivery, listing: listing.name, kind: vote.kind, userId: vote.userId, credits: 0, eventKeys: [] };
  const deliveryId = rowWriter.writeRow({ ...held, outcome: 'quarantined', reason });
  if (deliveryId === null) return null;
  const recorded = { deliveryId, credits: 0, reason, isAnnounced: false, causes: [] } as const;
  if (!isAsked) return { outcome: 'quarantined', ...recorded };
  save([...waiting, { deliveryId, at: vote.at, receivedAt, keys }]);
  const content = { listing: listing.name, userId: vote.userId };
  const queue = confirmationQueue(listing);
  tally.enqueue(newEffect(confirmationKind, { queue, content, deliveryId, createdAt: receivedAt }));
  return { outcome: 'recorded', ...recorded };
}
