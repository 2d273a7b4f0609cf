import type { RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { writeDuplicate } from '../../core/tally/write-event.ts';
import { confirmationQueue } from './queue.ts';
import { reasons } from './reasons.ts';
import { confirmations, voteOf } from './tables.ts';

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
  if (rowWriter.replayedId !== null) {
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
