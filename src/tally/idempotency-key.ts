import { createHash, hash } from 'node:crypto';
import type { Premium, Vote } from '../ledger/event.ts';

/*
 * The same event has the same key in every delivery, late or reformatted. Keys are unique in the store and never
 * deleted. They are the only defence against replay attacks, because the signature covers neither a time nor an ID.
 */

/**
 * Suffix of the key of a vote without a timestamp. All such votes within one cooldown are the same vote, see
 * `record-event.ts`.
 */
export const untimedSuffix = 'untimed';

/**
 * The key begins with the time, so that insertions are at one end of the index. `receivedAt` (ms since the epoch) is
 * used for a vote without a timestamp.
 */
export function voteKey(vote: Vote, listing: string, receivedAt: number): string {
  if (vote.at !== null) return `${new Date(vote.at).toISOString()} ${vote.userId} ${listing}`;
  return `${new Date(receivedAt).toISOString()} ${vote.userId} ${listing} ${untimedSuffix}`;
}

/**
 * The possible keys of a premium event, one for each ID of its order. It is stored under the first. Without an order
 * ID, the key is the digest of the body.
 */
export function premiumKeys(
  premium: Premium,
  orderIds: readonly string[],
  body: string,
): readonly [string, ...string[]] {
  const [first, ...others] = orderIds;
  if (first === undefined) return [`${premium.kind} sha256:${createHash('sha256').update(body).digest('hex')}`];
  const keyOf = (orderId: string) => `${premium.kind} ${orderId}${periodSuffix(premium)}`;
  return [keyOf(first), ...others.map(keyOf)];
}

/**
 * The digest of a key, as it is stored (16 bytes): the first 16 bytes of its SHA-256. For the key of a vote, the time in
 * ms since the epoch (48 bits, two's complement) followed by the first 10 bytes of the SHA-256 of the rest, so that
 * insertions are at one end of the index. Stored digests are never computed again, so this must not change.
 */
export function digestOf(key: string): Buffer {
  const at = timedKey.test(key) ? Date.parse(key.slice(0, timeLength)) : Number.NaN;
  // As text, since Node takes three times as long to return the bytes.
  const digest = hash('sha256', Number.isNaN(at) ? key : key.slice(timeLength + 1), 'hex');
  if (Number.isNaN(at)) return Buffer.from(digest.slice(0, 32), 'hex');
  const time = (at < 0 ? at + 2 ** 48 : at).toString(16).padStart(12, '0');
  return Buffer.from(time + digest.slice(0, 20), 'hex');
}

const timeLength = '2026-01-01T00:00:00.000Z'.length;
const timedKey = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;

/** Renewals and expiries of one order differ by their period, or by their time if the period is unknown. */
function periodSuffix({ kind, periodEnd, at }: Premium): string {
  const period =
    kind === 'subscription.renewed' ? (periodEnd ?? at) : kind === 'subscription.expired' ? periodEnd : null;
  return period === null ? '' : ` ${new Date(period).toISOString()}`;
}
