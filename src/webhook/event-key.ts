import { day } from '@tallyhook/platform/durations';
import type { Premium, Vote } from './event.ts';

/*
 * Keys of events: an event has the same one in every delivery, late or reformatted. Keys are unique in the store and
 * never deleted. They are the only defence against replay attacks, because the signature covers neither a time nor an
 * ID.
 */

/** 16 bytes as 32 lowercase hex digits. */
export type EventKey = string;

/** Length of a key (hex digits). */
export const keyLength = 32;
/** Hex digits of a time in ms. */
const timeLength = 12;
/** Decimal digits of a number of 64 bits. */
const maxNumberLength = 20;
const numberPattern = /^[1-9]\d{0,19}$/;

/** Marks votes without a time: all such votes within one cooldown are the same vote, see `record-event.ts`. */
const untimedSuffix = 'untimed';

/** The delivery of a premium event. */
export interface PremiumKeyContext {
  readonly community: string;
  readonly body: string;
  readonly receivedAt: number;
}

/** @param hash of `node:crypto`, or another SHA-256 that returns lowercase hex digits */
export function createEventKeys(hash: (algorithm: 'sha256', text: string) => string) {
  /** The time (48 bits, two's complement) and the first 10 bytes of the identity's SHA-256. */
  function timedKey(at: number, identity: string): EventKey {
    const time = (at < 0 ? at + 2 ** 48 : at).toString(16).padStart(timeLength, '0');
    return time + hash('sha256', identity).slice(0, keyLength - timeLength);
  }

  /** The first 16 bytes of the identity's SHA-256. */
  function untimedKey(identity: string): EventKey {
    return hash('sha256', identity).slice(0, keyLength);
  }

  /** Begins with the time, or without one with the receipt (ms), so that insertions are at one end of the index. */
  function voteKey(vote: Pick<Vote, 'at' | 'statedAt' | 'userId'>, listing: string, receivedAt: number): EventKey {
    const { userId } = vote;
    const at = statedTimeOf(vote);
    if (at === null) return timedKey(receivedAt, `${userId} ${listing} ${untimedSuffix}`);
    return timedKey(at, `${userId} ${listing}`);
  }

  /**
   * All keys of a vote: the first one is {@link voteKey}, unless the site's own ID is all that identifies it. A site's
   * history has times, but no IDs, so a vote with both has two keys, and is known if one of them is.
   */
  function voteKeys(vote: Vote, listing: string, receivedAt: number): readonly [EventKey, ...EventKey[]] {
    const id = vote.atSite?.id ?? null;
    if (id === null) return [voteKey(vote, listing, receivedAt)];
    const idKey = siteKey(listing, id);
    return vote.at === null ? [idKey] : [voteKey(vote, listing, receivedAt), idKey];
  }

  /**
   * An ID that is a number, with as much of the listing's digest as there is room for: such IDs ascend, so that insertions
   * are at one place of the index, too. Otherwise the digest of both.
   */
  function siteKey(listing: string, id: string): EventKey {
    if (!numberPattern.test(id)) return untimedKey(`site ${listing} ${id}`);
    return (id.padStart(maxNumberLength, '0') + hash('sha256', `site ${listing}`)).slice(0, keyLength);
  }

  /**
   * The possible keys of a premium event, one for each ID of its order. It is stored under the first. Without an order
   * ID, the key is made from the digest of the body; if the body has no time either, also from the day of receipt
   * (`receivedAt` in ms since the epoch), with those of the days beside it.
   * @param context.community identifies it: another one may receive the same body, and name an order alike. Empty where
   *   there is only one
   */
  function premiumKeys(
    premium: Premium,
    orderIds: readonly string[],
    { community, body, receivedAt }: PremiumKeyContext,
  ): readonly [EventKey, ...EventKey[]] {
    const [first, ...others] = orderIds;
    const kind = community === '' ? premium.kind : `${community} ${premium.kind}`;
    if (first === undefined) {
      const identity = `${kind} sha256:${hash('sha256', body)}`;
      if (statedTimeOf(premium) !== null || premium.periodEnd !== null) return [untimedKey(identity)];
      const today = Math.floor(receivedAt / day);
      // The clock of another process may be behind or ahead.
      const keyOn = (date: number) => untimedKey(`${identity} ${date}`);
      return [keyOn(today), keyOn(today - 1), keyOn(today + 1)];
    }
    const keyOf = (orderId: string) => untimedKey(`${kind} ${orderId}${periodSuffix(premium)}`);
    return [keyOf(first), ...others.map(keyOf)];
  }

  return { voteKey, voteKeys, premiumKeys, untimedKey };
}

/** Renewals and expiries of one order differ by their period, or by their time if the period is unknown. */
function periodSuffix(premium: Premium): string {
  const { kind, periodEnd } = premium;
  const repeats = kind === 'subscription.renewed' || kind === 'subscription.expired';
  const period = repeats ? (periodEnd ?? statedTimeOf(premium)) : null;
  return period === null ? '' : ` ${new Date(period).toISOString()}`;
}

/** The time that an event states, true or not (ms since the epoch). */
function statedTimeOf({ at, statedAt }: Pick<Vote | Premium, 'at' | 'statedAt'>): number | null {
  return at ?? statedAt ?? null;
}
