/** The listing of an event. @category Events */
export interface HandlerListing {
  /** The name of the configured listing. */
  readonly name: string;
  readonly kind: 'server' | 'bot';
  /** Discord ID of its community's guild; null if it is not configured. */
  readonly guildId: string | null;
}

/** The fields of every event that a handler receives. Plain data, as it is stored with the event. @category Events */
export interface HandlerEventFields {
  /** Discord ID of the community's guild; null if it is not configured. */
  readonly guildId: string | null;
  /** The delivery that caused it (its id in the delivery log); null without one. */
  readonly deliveryId: number | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
}

/** An event of a listing and of a member. @category Events */
export interface MemberEventFields extends HandlerEventFields {
  readonly listing: HandlerListing;
  /** Discord ID. */
  readonly userId: string;
  /** The balance after it, with all that the same vote or purchase earned (credits). */
  readonly balance: number;
}

/** A counted vote: of a delivery, or claimed with `/claim`. @category Events */
export interface VoteEvent extends MemberEventFields {
  readonly type: 'vote';
  /** All that the vote earned: its own credits, streaks, milestones and bonuses. */
  readonly credits: number;
  /** Counted votes of the member, with this one. */
  readonly votes: number;
  /** The streak after it (days). */
  readonly streak: number;
  /** True if the service denied its credits. It counts as a vote. */
  readonly denied: boolean;
  /** The service's reason for that; null if it gave none. */
  readonly reason: string | null;
  /** When the member may vote again (ms since the epoch). */
  readonly nextVoteAt: number;
}

/** A vote completed a step of the rule for streaks. @category Events */
export interface StreakEvent extends MemberEventFields {
  readonly type: 'streak';
  /** Credits that the step paid. */
  readonly credits: number;
  /** The streak with which the step was completed (days). */
  readonly days: number;
  /** The streak after the vote (days): less than `days` if a late vote completed a step of an earlier streak. */
  readonly streak: number;
}

/** A vote reached a milestone of the rules. @category Events */
export interface MilestoneEvent extends MemberEventFields {
  readonly type: 'milestone';
  /** Credits that the milestone paid. */
  readonly credits: number;
  /** The counted votes that were reached. */
  readonly votes: number;
  /** The streak after the vote (days). */
  readonly streak: number;
}

/** A purchase, renewal, expiry or revocation of premium at the service. @category Events */
export interface PremiumEvent extends HandlerEventFields {
  readonly type: 'premium';
  readonly listing: HandlerListing;
  /**
   * The event by its name in the payload: `premium_purchase`, `subscription.renewed`, `subscription.expired`,
   * `subscription.revoked`.
   */
  readonly kind: string;
  /** The holder (Discord ID): the recipient of a gift, otherwise the buyer. Null if nothing names the holder. */
  readonly userId: string | null;
  /** The giver of a gift (Discord ID); null if it is not a gift, or the giver is unknown. */
  readonly giftedBy: string | null;
  /** The name or id of the tier at the service. */
  readonly tier: string | null;
  /** End of the paid period (ms since the epoch); null if it is not known. */
  readonly periodEnd: number | null;
  /** Credits that the event paid. */
  readonly credits: number;
  /** The balance after it (credits); null without a holder, or if it never pays. */
  readonly balance: number | null;
}

/** A purchase in the shop of a community. It belongs to no listing. @category Events */
export interface PurchaseEvent extends HandlerEventFields {
  readonly type: 'purchase';
  readonly listing: null;
  readonly deliveryId: null;
  /** The id in `/shop` and in the owner's console. */
  readonly purchaseId: number;
  /** Discord ID of the buyer. */
  readonly userId: string;
  /** To whom it was given (Discord ID); null if the buyer has it. */
  readonly recipientId: string | null;
  /** The item's id and name in the settings of the shop. */
  readonly item: string;
  readonly name: string;
  /** The price (credits), as a positive number. */
  readonly price: number;
  /** The change of the balance (credits): the price as a negative number. */
  readonly credits: number;
  /** The balance after it (credits). */
  readonly balance: number;
  /** The role that was bought (Discord ID); null if the item is not a role. */
  readonly role: string | null;
}

/** A new review on the service. Its texts are external: escape them. @category Events */
export interface ReviewEvent extends HandlerEventFields {
  readonly type: 'review';
  readonly listing: HandlerListing;
  readonly deliveryId: null;
  /** The service does not say which Discord user wrote it. */
  readonly userId: null;
  readonly username: string | null;
  /** The stars of the review, whose range is not documented. */
  readonly rating: number | null;
  readonly comment: string;
}

/** The event of each kind of handler. */
export interface HandlerEvents {
  readonly vote: VoteEvent;
  readonly premium: PremiumEvent;
  readonly streak: StreakEvent;
  readonly milestone: MilestoneEvent;
  readonly purchase: PurchaseEvent;
  readonly review: ReviewEvent;
}

/** A call of a handler, as the outbox stores it. */
export interface HandlerContent {
  /** The id of the call, the same for every attempt, also after a requeue. */
  readonly id: string;
  readonly event: HandlerEvent;
}

export type HandlerKind = keyof HandlerEvents;

export type HandlerEvent = HandlerEvents[HandlerKind];

/** Receivers of events beside their effects in Discord: handlers, and the stream of the API while it is read. */
export type SubscribedKind = HandlerKind | 'stream';

/** Every kind of handler. */
export const handlerKinds = [
  'vote',
  'premium',
  'streak',
  'milestone',
  'purchase',
  'review',
] as const satisfies readonly HandlerKind[];
