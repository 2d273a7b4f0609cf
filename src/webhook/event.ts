/** The two families of deliveries, each with its own secrets. */
export type Family = 'vote' | 'premium';

/** The kinds of votes, as named in the payload. */
export const voteKinds = ['server_vote', 'bot_vote'] as const;
/** The purchase and the lifecycle events that comparable services send. */
export const premiumKinds = [
  'premium_purchase',
  'subscription.renewed',
  'subscription.expired',
  'subscription.revoked',
] as const;

/** The kind of a vote for a server or a bot. */
export function voteKindOf(target: 'server' | 'bot'): KnownVoteKind {
  return target === 'server' ? 'server_vote' : 'bot_vote';
}

export function isVoteKind(kind: string): kind is KnownVoteKind {
  return voteKinds.some((voteKind) => voteKind === kind);
}

export function familyOf(kind: KnownEventKind): Family {
  return isVoteKind(kind) ? 'vote' : 'premium';
}

/** True if an event ends an order or one of its periods. Such an event pays nothing. */
export function endsOrder(kind: string): boolean {
  return kind === 'subscription.expired' || kind === 'subscription.revoked';
}

export type KnownVoteKind = (typeof voteKinds)[number];
export type KnownPremiumKind = (typeof premiumKinds)[number];
/** The kinds of events that this version knows; others are quarantined. */
export type KnownEventKind = KnownVoteKind | KnownPremiumKind;

/** The kind of a vote. Later versions may know more. */
export type VoteKind = KnownVoteKind | (string & {});
/** The kind of an event of premium. Later versions may know more. */
export type PremiumKind = KnownPremiumKind | (string & {});
/** The kind of an event, as the payload names it. Later versions may know more. */
export type EventKind = VoteKind | PremiumKind;

/** The server or bot that an event is for. */
export interface EventTarget {
  readonly kind: 'server' | 'bot' | null;
  /** The id in the payload; the target of a purchase need not have a Discord ID. Null if missing. */
  readonly id: string | null;
}

/** A vote of a user. */
export interface Vote {
  readonly family: 'vote';
  readonly kind: KnownVoteKind;
  readonly target: EventTarget;
  readonly userId: string;
  /** Time of the vote according to the service (ms since the epoch); null if missing. */
  readonly at: number | null;
  /**
   * A time that the payload states although it cannot be true (ms since the epoch): it identifies the event, which counts
   * from its receipt. Then `at` is null.
   */
  readonly statedAt?: number;
  /** The payload's `creditsAwarded`: whole credits from 0 to 1,000,000, a boolean, or null if missing. */
  readonly creditsAwarded: number | boolean | null;
  /** The service's reason for denying credits. */
  readonly denial: string | null;
  /** The details of a vote on another listing site than the document's service. */
  readonly atSite?: VoteAtSite;
}

/** Details that another listing site states of a vote. */
export interface VoteAtSite {
  /** The site's own ID of the vote; null if it has none. */
  readonly id: string | null;
  /** How many votes it counts as on the site: more than 0, at most 4. */
  readonly weight: number;
  /** When the site accepts the member's next vote (ms since the epoch); null if it does not say. */
  readonly nextVoteAt: number | null;
}

/** A purchase, renewal, expiry or revocation of premium. */
export interface Premium {
  readonly family: 'premium';
  readonly kind: KnownPremiumKind;
  readonly target: EventTarget;
  /**
   * The holder: the recipient of a gift, otherwise the buyer. Null if an expiry or revocation names nobody, and if it
   * may be a gift without a readable recipient; then the stored order decides.
   */
  readonly userId: string | null;
  /** True if the payload names `userId` as the recipient: the stored holder of the order precedes a buyer. */
  readonly isRecipient: boolean;
  /** The giver of a gift; null if it is not a gift, or the giver is unknown. */
  readonly giftedBy: string | null;
  /** The IDs of the order, any of which identifies it. Empty if missing. */
  readonly orderIds: readonly string[];
  /** The name or ID of the tier at the service. */
  readonly tier: string | null;
  /** Time of the event according to the service (ms since the epoch); null if missing. */
  readonly at: number | null;
  /**
   * A time that the payload states although it cannot be true (ms since the epoch): it identifies the event, which counts
   * from its receipt. Then `at` is null.
   */
  readonly statedAt?: number;
  /** End of the paid period (ms since the epoch); null if missing. */
  readonly periodEnd: number | null;
  /** Same as for a vote. */
  readonly creditsAwarded: number | boolean | null;
}

export type Event = Vote | Premium;
