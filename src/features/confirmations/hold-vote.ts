import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { writeDuplicate } from '../../core/tally/write-event.ts';
import { confirmations, voteOf } from './tables.ts';

/** Why a vote that is to be confirmed is in the quarantine. */
export const reasons = {
  waiting: 'the vote waits until its site confirms it',
  refused: 'the site says that the member has not voted',
  unknown: 'the site did not say within 24 hours whether the member has voted',
} as const;

const prefix = 'confirmation ';

/** The queue of the votes of a listing whose site is asked: one site that fails delays no other one. */
function confirmationQueue(listing: string): string {
  return prefix + listing;
}

export function isConfirmationQueue(queue: string): boolean {
  return queue.startsWith(prefix);
}

/** The queues that a recorded delivery may have added a confirmation to. */
export function confirmationQueuesOf(
  { reason }: { readonly reason: string | null },
  listings: readonly { readonly name: string; readonly rewards: { readonly confirm?: boolean | undefined } }[],
): readonly string[] {
  if (reason !== reasons.waiting) return [];
  return listings.flatMap(({ name, rewards }) => (rewards.confirm ? confirmationQueue(name) : []));
}

declare module '../../core/rewards/rules.ts' {
  interface ListingRewards {
    /** Whether the site of the listing is asked before a vote is paid. */
    readonly confirm?: true;
  }
}

/**
 * Stores a vote until its site confirms it: its delivery is quarantined, and so recorded by a replay, be it because the
 * site has confirmed it or because the owner releases it. Until then, every other delivery is a repeat of it.
 */
export function holdVote(tally: Tally, unrecorded: UnrecordedVote): RecordedDelivery | null {
  const { vote, listing, delivery, rowWriter } = unrecorded;
  const key = voteOf(listing.name, vote.userId);
  const { delivery_id: waiting } = tally.rowOf(confirmations, key);
  const save = (delivery_id: number | null) =>
    tally.saveRow(confirmations, { vote: key, user_id: vote.userId, listing: listing.name, delivery_id });
  if (rowWriter.isReleased) {
    if (waiting !== null) save(null);
    return null;
  }
  if (waiting !== null) return writeDuplicate(vote, waiting, { ...unrecorded, tally });
  const reason = reasons.waiting;
  const row = { ...delivery, listing: listing.name, kind: vote.kind, userId: vote.userId, credits: 0, eventKeys: [] };
  const deliveryId = rowWriter.writeRow({ ...row, outcome: 'quarantined', reason });
  if (deliveryId === null) return null;
  save(deliveryId);
  tally.enqueue({
    kind: 'confirmation',
    queue: confirmationQueue(listing.name),
    content: { listing: listing.name, userId: vote.userId },
    deliveryId,
    createdAt: delivery.receivedAt,
  });
  return { outcome: 'recorded', deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}
