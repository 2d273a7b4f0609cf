/** The two families of deliveries, each with secrets of its own (document, section 5.7). */
export type Family = 'vote' | 'premium';

/** The kinds of votes, in the words of the payload (document, section 6). */
export const voteKinds = ['server_vote', 'bot_vote'] as const;
/** A purchase (document, section 6), and the life of one as services of this kind tell it. */
export const premiumKinds = [
  'premium_purchase',
  'subscription.renewed',
  'subscription.expired',
  'subscription.revoked',
] as const;

/** Whether an event ends an order, or a period of it: then it pays nothing. */
export function endsOrder(kind: PremiumKind): boolean {
  return kind === 'subscription.expired' || kind === 'subscription.revoked';
}

export type VoteKind = (typeof voteKinds)[number];
export type PremiumKind = (typeof premiumKinds)[number];
export type EventKind = VoteKind | PremiumKind;

/** What a delivery is about: a server or a bot, and which. */
export interface EventTarget {
  readonly kind: 'server' | 'bot' | null;
  /** As the payload has it; that of a purchase need be no id of Discord's. Null where it is not said. */
  readonly id: string | null;
}

/** Somebody voted. */
export interface Vote {
  readonly family: 'vote';
  readonly kind: VoteKind;
  readonly target: EventTarget;
  readonly userId: string;
  /** When, as the service says (ms since the epoch); null where it does not say. */
  readonly at: number | null;
  /** What the service says about credits: how many (whole, 0 to 1,000,000), a yes or no, or nothing. */
  readonly awarded: number | boolean | null;
  /** Why the service paid nothing, in its words. */
  readonly denial: string | null;
}

/** Somebody bought premium, or the life of a purchase went on. */
export interface Premium {
  readonly family: 'premium';
  readonly kind: PremiumKind;
  readonly target: EventTarget;
  /**
   * Who holds it: the recipient of a gift, else the buyer. Null where an expiry or revocation names nobody, and where it may be a gift
   * without a readable recipient: then the order has to tell.
   */
  readonly userId: string | null;
  /** Whether `userId` is named as the recipient. A mere buyer gives way to the known holder of the order. */
  readonly isRecipient: boolean;
  /** Who paid for a gift; null where it is none, or nobody else is named. */
  readonly giftedBy: string | null;
  /** The ids of the order: the first names it, all of them find it again. Empty where the service gave none. */
  readonly orderIds: readonly string[];
  /** In the service's words. */
  readonly tier: string | null;
  /** When, as the service says (ms since the epoch); null where it does not say. */
  readonly at: number | null;
  /** When the paid period ends (ms since the epoch); null where that is not said. */
  readonly periodEnd: number | null;
  /** As for a vote. */
  readonly awarded: number | boolean | null;
}

export type Event = Vote | Premium;
