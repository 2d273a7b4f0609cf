import { sha256Hex } from '@tallyhook/platform/sha256';
import type { Event, EventKind, EventTarget, Premium, PremiumKind, Vote, VoteAtSite, VoteKind } from '../event.ts';
import { createEventKeys } from '../event-key.ts';
import type { ParsedPayload } from '../payload.ts';

/*
 * The events of `verify`, in the words of the events of handlers. The program's own have the words of the payload.
 */

/** What an event is for: the server or bot on the listing site. */
export interface EventListing {
  /** Null if a purchase names neither. */
  readonly kind: 'server' | 'bot' | null;
  /** As in the payload, usually the Discord ID; null if missing. */
  readonly id: string | null;
}

/** The fields of every event. */
export interface VerifiedFields {
  readonly listing: EventListing;
  /**
   * The idempotency key, 32 hex digits: the same for every delivery of the same event, and for no other event. Store it
   * with what you do for the event, to do that once; if you verify deliveries of several owners, with whose secret it was:
   * one owner can name the orders of another. Null if nothing identifies the event: a test, a vote without a
   * time (the same member's next vote cannot be earlier than the cooldown), or a purchase with neither order nor time.
   */
  readonly key: string | null;
  /** The text of the body, which the signature covers. */
  readonly raw: string;
}

/** A vote of a user. */
export interface VerifiedVote extends VerifiedFields {
  readonly type: 'vote';
  /** As in the payload: `server_vote` or `bot_vote`. */
  readonly kind: VoteKind;
  /** The voter (Discord ID). */
  readonly userId: string;
  /** Time of the vote (ms since the epoch); null if the service did not send one. */
  readonly at: number | null;
  /** What the service says that the vote earns: whole credits, 0 if it is denied; null if it leaves that to you. */
  readonly credits: number | null;
  /** Whether the service denied the credits, for example because of an ad blocker. It counts as a vote. */
  readonly denied: boolean;
  /** The service's reason for that; null if it is not denied or gave none. An external text: escape it. */
  readonly reason: string | null;
  /** Only of a vote on another site. */
  readonly atSite?: VoteAtSite;
}

/** A purchase, renewal, expiry or revocation of premium. */
export interface VerifiedPremium extends VerifiedFields {
  readonly type: 'premium';
  /** As in the payload: `premium_purchase`, `subscription.renewed`, `subscription.expired`, `subscription.revoked`. */
  readonly kind: PremiumKind;
  /**
   * The holder (Discord ID): the recipient of a gift, otherwise the buyer. Null if the payload does not say; then the
   * holder is that of the order. A renewal of a gift may name its buyer alone: compare `orderIds` with the purchase.
   */
  readonly userId: string | null;
  /** The giver of a gift (Discord ID); null if it is not a gift, or the giver is unknown. */
  readonly giftedBy: string | null;
  /** The IDs of the order, any of which identifies it. Empty if missing. */
  readonly orderIds: readonly string[];
  /** The name or ID of the tier at the service. An external text: escape it. */
  readonly tier: string | null;
  /** Time of the event (ms since the epoch); null if the service did not send one. */
  readonly at: number | null;
  /** End of the paid period (ms since the epoch); null if missing. */
  readonly periodEnd: number | null;
  /** What the service says that it earns (whole credits); null if it leaves that to you. */
  readonly credits: number | null;
}

/** A test that the owner has sent from the dashboard of the service. It must not pay anything. */
export interface VerifiedTest extends VerifiedFields {
  readonly type: 'test';
  /** The kind of event that it simulates. */
  readonly kind: EventKind;
  /** Null if the test names no user. */
  readonly userId: string | null;
  readonly key: null;
}

/** Another event of a listing site, such as a review or a downvote, which is worth nothing. Respond with 200. */
export interface VerifiedOther {
  readonly type: 'ignored';
  /** As the site names it. An external text: escape it. */
  readonly kind: string;
  readonly key: null;
  readonly raw: string;
}

/** The content of a genuine delivery. `type` tells votes, premium events and tests apart. */
export type VerifiedEvent = VerifiedVote | VerifiedPremium | VerifiedTest;
/** The content of a genuine delivery of another site. `type` tells votes, tests and other events apart. */
export type VerifiedSiteEvent = VerifiedVote | VerifiedTest | VerifiedOther;

const { voteKeys, premiumKeys } = createEventKeys((_algorithm, text) => sha256Hex(text));

/** The event of a payload that can be processed. @param receivedAt ms since the epoch */
export function describeEvent(
  payload: Extract<ParsedPayload, { type: 'event' | 'test' }>,
  raw: string,
  receivedAt: number,
): VerifiedEvent {
  if (payload.type === 'event') return describe(payload.event, raw, receivedAt);
  const { kind, userId, target } = payload;
  return { type: 'test', kind, listing: target, userId, key: null, raw };
}

function describe(event: Event, raw: string, receivedAt: number): VerifiedVote | VerifiedPremium {
  const { target: listing, creditsAwarded, at } = event;
  const credits = typeof creditsAwarded === 'number' ? creditsAwarded : null;
  if (event.family === 'vote') {
    const { kind, userId, denial } = event;
    const denied = isDenied(event);
    const { atSite } = event;
    // The last key is that of the site's own ID, if there is one.
    const isIdentified = at !== null || (atSite?.id ?? null) !== null;
    const key = isIdentified ? (voteKeys(event, nameOf(listing), receivedAt).at(-1) ?? null) : null;
    const amounts = { credits: denied ? 0 : credits, denied, reason: denied ? denial : null };
    return { type: 'vote', kind, listing, userId, at, ...amounts, key, raw, ...(atSite && { atSite }) };
  }
  const { kind, userId, giftedBy, orderIds, tier, periodEnd } = event;
  const key = isIdentified(event) ? premiumKeys(event, orderIds, { community: '', body: raw, receivedAt })[0] : null;
  return { type: 'premium', kind, listing, userId, giftedBy, orderIds, tier, at, periodEnd, credits, key, raw };
}

/** As the reward of a vote is decided, in `decideVoteReward`. */
function isDenied({ creditsAwarded, denial }: Vote): boolean {
  return creditsAwarded === false || (creditsAwarded === null && denial !== null);
}

/** A stable name for the listing, in place of the one that it has in a configuration. */
function nameOf({ kind, id }: EventTarget): string {
  return `${kind} ${id}`;
}

/** Otherwise the key would be that of the day of receipt. */
function isIdentified({ orderIds, at, periodEnd }: Premium): boolean {
  return orderIds.length > 0 || at !== null || periodEnd !== null;
}
