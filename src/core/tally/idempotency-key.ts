import { hash } from 'node:crypto';
import { day } from '../../platform/durations.ts';
import type { Premium, Vote } from '../../webhook/event.ts';
import { namesOfTarget } from './community.ts';
import type { ListingContext } from './listing-context.ts';

/*
 * The same event has the same key in every delivery, late or reformatted. Keys are unique in the store and never
 * deleted. They are the only defence against replay attacks, because the signature covers neither a time nor an ID.
 */

/** 16 bytes as 32 lowercase hex digits. */
export type EventKey = string;

/** Length of a key (hex digits). */
const keyLength = 32;
/** Bytes of a time in ms. */
const timeBytes = 6;

/**
 * Suffix of the identity of a vote without a timestamp. All such votes within one cooldown are the same vote, see
 * `record-event.ts`.
 */
const untimedSuffix = 'untimed';

/**
 * The key begins with the time, so that insertions are at one end of the index. `receivedAt` (ms since the epoch) is
 * used for a vote without a timestamp.
 */
export function voteKey({ at, userId }: Vote, listing: string, receivedAt: number): EventKey {
  if (at === null) return timedKey(receivedAt, `${userId} ${listing} ${untimedSuffix}`);
  return timedKey(at, `${userId} ${listing}`);
}

/**
 * The possible keys of a premium event, one for each ID of its order. It is stored under the first. Without an order
 * ID, the key is made from the digest of the body; if the body has no time either, also from the day of receipt
 * (`receivedAt` in ms since the epoch), with those of the days beside it.
 */
export function premiumKeys(
  premium: Premium,
  orderIds: readonly string[],
  { body, receivedAt }: { readonly body: string; readonly receivedAt: number },
): readonly [EventKey, ...EventKey[]] {
  const [first, ...others] = orderIds;
  if (first === undefined) {
    const identity = `${premium.kind} sha256:${hash('sha256', body)}`;
    if (premium.at !== null || premium.periodEnd !== null) return [untimedKey(identity)];
    const today = Math.floor(receivedAt / day);
    // The clock of another process may be behind or ahead.
    const keyOn = (date: number) => untimedKey(`${identity} ${date}`);
    return [keyOn(today), keyOn(today - 1), keyOn(today + 1)];
  }
  const keyOf = (orderId: string) => untimedKey(`${premium.kind} ${orderId}${periodSuffix(premium)}`);
  return [keyOf(first), ...others.map(keyOf)];
}

/**
 * The key of a member's last vote for a listing, which is kept for a while when the member is forgotten. Then the
 * account no longer recognises a repeat of a vote without a timestamp.
 */
export function forgottenVoteKey(userId: string, listing: string): EventKey {
  return untimedKey(`forgotten ${userId} ${listing}`);
}

/**
 * Replaces the idempotency key of a correction if it contains the id of a member who is forgotten, so that a repeat is
 * still recognised.
 */
export function forgottenCorrectionKey(idempotencyKey: string): string {
  return `forgotten-${hash('sha256', idempotencyKey).slice(0, keyLength)}`;
}

/** The time (48 bits, two's complement) and the first 10 bytes of the identity's SHA-256. */
function timedKey(at: number, identity: string): EventKey {
  const time = Buffer.allocUnsafe(timeBytes);
  time.writeUIntBE(at < 0 ? at + 2 ** 48 : at, 0, timeBytes);
  return time.toString('hex') + hash('sha256', identity).slice(0, keyLength - 2 * timeBytes);
}

/** The first 16 bytes of the identity's SHA-256. */
function untimedKey(identity: string): EventKey {
  return hash('sha256', identity).slice(0, keyLength);
}

/** Renewals and expiries of one order differ by their period, or by their time if the period is unknown. */
function periodSuffix({ kind, periodEnd, at }: Premium): string {
  const repeats = kind === 'subscription.renewed' || kind === 'subscription.expired';
  const period = repeats ? (periodEnd ?? at) : null;
  return period === null ? '' : ` ${new Date(period).toISOString()}`;
}

/** The keys of a member's last votes for the target of a listing, one for each of its names. */
export function forgottenVoteKeys(userId: string, { name, community }: ListingContext): readonly EventKey[] {
  return namesOfTarget(community, name).map((each) => forgottenVoteKey(userId, each));
}
