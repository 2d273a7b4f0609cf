import { createHash } from 'node:crypto';
import type { Premium, Vote } from '../ledger/event.ts';

/*
 * The identity of an event: the same event has the same key however often, late or reformatted it is delivered, and the key is unique
 * in the store for good. That is the only defence against a replay, since a signature covers neither time nor id.
 */

/** Marks the key of a vote without a timestamp. Such a vote is the same one for a whole cooldown, see `record-event.ts`. */
export const untimedSuffix = 'untimed';

/**
 * Begins with the time, so that keys are inserted at one end of the index. `receivedAt` (ms since the epoch) stands in
 * where the vote tells none.
 */
export function voteKey(vote: Vote, listing: string, receivedAt: number): string {
  if (vote.at !== null) return `${new Date(vote.at).toISOString()} ${vote.userId} ${listing}`;
  return `${new Date(receivedAt).toISOString()} ${vote.userId} ${listing} ${untimedSuffix}`;
}

/**
 * The keys that an event of an order may stand under, one for each name that the order goes by; the first is the one to keep it under.
 * Without any name it is known by the digest of its body.
 */
export function premiumKeys(premium: Premium, names: readonly string[], body: string): readonly [string, ...string[]] {
  const [first, ...others] = names;
  if (first === undefined) return [`${premium.kind} sha256:${createHash('sha256').update(body).digest('hex')}`];
  const key = (name: string) => `${premium.kind} ${name}${periodOf(premium)}`;
  return [key(first), ...others.map(key)];
}

/** A purchase and its renewals share one order, and it may expire more than once: periods tell them apart, or else the time does. */
function periodOf({ kind, periodEnd, at }: Premium): string {
  const told = kind === 'subscription.renewed' ? (periodEnd ?? at) : kind === 'subscription.expired' ? periodEnd : null;
  return told === null ? '' : ` ${new Date(told).toISOString()}`;
}
