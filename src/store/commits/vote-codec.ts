import type { Vote } from '../../ledger/event.ts';
import type { Delivery, ListingContext, RecordedDelivery, RoutedDelivery } from '../../tally/tally.ts';

/*
 * A vote and what became of it as lists of their values. To copy an object to another thread is to write and to find again the name of
 * every field: of all that a vote costs that would be a twentieth (`bench/README.md`), and votes are what comes by the thousand.
 */

export type EncodedVote = ReturnType<typeof encodeVote>;
export type EncodedRecorded = ReturnType<typeof encodeRecorded>;

export function encodeVote({ receivedAt, body }: Delivery, vote: Vote, listing: ListingContext) {
  const { kind, target, userId, at, creditsAwarded, denial } = vote;
  return [receivedAt, body, kind, target.kind, target.id, userId, at, creditsAwarded, denial, listing] as const;
}

export function decodeVote(flat: EncodedVote): [Delivery, RoutedDelivery] {
  const [receivedAt, body, kind, targetKind, targetId, userId, at, creditsAwarded, denial, listing] = flat;
  const target = { kind: targetKind, id: targetId };
  const event: Vote = { family: 'vote', kind, target, userId, at, creditsAwarded, denial };
  return [
    { receivedAt, family: 'vote', body },
    { type: 'event', event, listing },
  ];
}

export function encodeRecorded({ outcome, deliveryId, credits, reason }: RecordedDelivery) {
  return [outcome, deliveryId, credits, reason] as const;
}

export function decodeRecorded([outcome, deliveryId, credits, reason]: EncodedRecorded): RecordedDelivery {
  return { outcome, deliveryId, credits, reason };
}
