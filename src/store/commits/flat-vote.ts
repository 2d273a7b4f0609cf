import type { Vote } from '../../ledger/event.ts';
import type { Meaning } from '../../tally/meaning.ts';
import type { Delivery, Recorded, TalliedListing } from '../../tally/tally.ts';

/*
 * A vote and what became of it as lists of their values. To copy an object to another thread is to write and to find again the name of
 * every field: of all that a vote costs that would be a twentieth (`bench/README.md`), and votes are what comes by the thousand.
 */

export type FlatVote = ReturnType<typeof flatVote>;
export type FlatRecorded = ReturnType<typeof flatRecorded>;

export function flatVote({ receivedAt, body }: Delivery, vote: Vote, listing: TalliedListing) {
  const { kind, target, userId, at, awarded, denial } = vote;
  return [receivedAt, body, kind, target.kind, target.id, userId, at, awarded, denial, listing] as const;
}

export function voteIn(flat: FlatVote): [Delivery, Meaning] {
  const [receivedAt, body, kind, targetKind, targetId, userId, at, awarded, denial, listing] = flat;
  const target = { kind: targetKind, id: targetId };
  const event: Vote = { family: 'vote', kind, target, userId, at, awarded, denial };
  return [
    { receivedAt, family: 'vote', body },
    { is: 'event', event, listing },
  ];
}

export function flatRecorded({ outcome, deliveryId, credits, reason }: Recorded) {
  return [outcome, deliveryId, credits, reason] as const;
}

export function recordedIn([outcome, deliveryId, credits, reason]: FlatRecorded): Recorded {
  return { outcome, deliveryId, credits, reason };
}
