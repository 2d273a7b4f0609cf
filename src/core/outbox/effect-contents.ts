import type { HandlerContent } from './handler-events.ts';

/** The contents of an announcement: all that is needed to post it without reading another table. */
export interface Announcement {
  /** The event type as in the payload (`server_vote`, `subscription.renewed`, …). */
  readonly event: string;
  /** Whether the dashboard's test button sent the delivery. A test pays nothing. */
  readonly test: boolean;
  /** The name of the configured listing. */
  readonly listing: string;
  /** The voter or the holder of the purchase; null when the event names nobody. */
  readonly userId: string | null;
  /** What this event paid (credits). */
  readonly credits: number;
  /** The balance after it (credits); null without a user. */
  readonly balance: number | null;
  /** Why it paid nothing or less: `within_cooldown` or the service's own text; null when it paid in full. */
  readonly reason: string | null;
  /** When it happened (ms since the epoch). */
  readonly at: number;
  /** When the voter may vote again (ms since the epoch); null unless the event is a vote. */
  readonly nextVoteAt: number | null;
  /** The purchased tier, as the service names it. */
  readonly tier: string | null;
  /** The user who paid for a gift. */
  readonly giftedBy: string | null;
  /** The voter's streak after it (days); null unless a vote was counted. */
  readonly streak: number | null;
  /** How multipliers raised the credits of the event itself (`10 × 2`); null if none applied. */
  readonly calculation: string | null;
  /** What else it earned. Its credits are part of `credits`. */
  readonly bonuses: readonly Bonus[];
  /** The roles that it gave or extended. */
  readonly roles: readonly GivenRole[];
}

/** A reward beside that of the event itself. */
export interface Bonus {
  readonly cause: string;
  /** Whole credits. */
  readonly credits: number;
  /** The days or votes that were reached; 0 if the cause has no number. */
  readonly count: number;
}

/** A role that a member was given. */
export interface GivenRole {
  /** The id of the role. */
  readonly role: string;
  /** When it is removed (ms since the epoch); null if it stays. */
  readonly until: number | null;
}

/** A role of a member. Whether the member should have it is decided when the effect is carried out. */
export interface MemberRole {
  readonly guildId: string;
  readonly userId: string;
  /** The id of the role. */
  readonly role: string;
}

/** What an effect of a role contains. */
export interface RoleContent extends MemberRole {
  /** Whether the contents are deleted when it is finished, because the member was forgotten. */
  readonly erase?: true;
}

/** A direct message to a member. */
export interface DirectMessage {
  readonly userId: string;
  readonly message: DirectMessageContent;
}

/**
 * What a direct message says. `reminder`: the member may vote; `listing` is the name of the configured listing,
 * and `dueAt` since when the member can vote, or wanted to be reminded again (ms since the epoch).
 * `purchaseFulfilled` and `purchaseRefunded`: what became of a purchase. `departure`: see {@link DepartureNotice}.
 */
export type DirectMessageContent =
  | { readonly type: 'reminder'; readonly listing: string; readonly dueAt: number }
  | (PurchasedItem & { readonly type: 'purchaseFulfilled' })
  | (PurchasedItem & { readonly type: 'purchaseRefunded' })
  | (DepartureNotice & { readonly type: 'departure' });

/** A community has removed the bot, and its settings and data will be deleted. Times are ms since the epoch. */
export interface DepartureNotice {
  readonly guildId: string;
  /** The name of one of its configured listings; null without one. */
  readonly listing: string | null;
  /** Identifies the departure. */
  readonly parkedAt: number;
  readonly deletedAt: number;
  /** How many notices preceded this one, the first of which was sent when the community was parked. */
  readonly notices: number;
}

/** A purchase in a message. */
export interface PurchasedItem {
  /** The name of the item; escape it. */
  readonly item: string;
  /** Credits. */
  readonly price: number;
}

/** A message to the owner. */
export interface OwnerReport {
  /** The owner's channel. */
  readonly channelId: string;
  readonly report: OwnerReportContent;
}

/**
 * `roleFailed`: a role could not be added or removed, with the reason and a hint in words. `purchase`: the owner has to
 * fulfil a purchase. `purchaseRefunded`: it was refunded because Discord did not give the role. `purchaseClosed`: it was
 * refunded before the owner fulfilled it, because the buyer was forgotten.
 */
export type OwnerReportContent =
  | (MemberRole & { readonly type: 'roleFailed'; readonly reason: string })
  | (ReportedPurchase & { readonly type: 'purchase' })
  | (ReportedPurchase & { readonly type: 'purchaseRefunded' })
  | (PurchasedItem & { readonly type: 'purchaseClosed'; readonly purchaseId: number });

/** A purchase in a report to the owner. */
export interface ReportedPurchase extends PurchasedItem {
  readonly purchaseId: number;
  readonly userId: string;
}

/** Pays a reached goal to everyone who voted in the period. */
export interface PartyReward {
  /** The key of the party: of the community and its period. */
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits), as they were when the goal was reached. */
  readonly goal: number;
  readonly credits: number;
  /** The calendar day of the vote that reached the goal (day number). */
  readonly day: number;
}

/** Updates the message with the progress towards the goal of a period. */
export interface PartyPanel {
  readonly channelId: string;
  readonly period: string;
}

/** Announces that the goal of a period was reached. */
export interface PartyReached {
  readonly channelId: string;
  readonly period: string;
  /** The goal (counted votes), and the reward of each voter (credits). */
  readonly goal: number;
  readonly credits: number;
}

/** Summarises the votes that a listing received in a period (ms since the epoch, `until` exclusive). */
export interface Digest {
  readonly channelId: string;
  readonly listing: string;
  readonly from: number;
  readonly until: number;
}

/** A streak that ended. */
export interface LostStreak {
  readonly userId: string;
  /** Its counted days. */
  readonly days: number;
}

/** Announces streaks that ended before a day. */
export interface LostStreaks {
  readonly channelId: string;
  readonly listing: string;
  /** The day after the last one without a vote (day number). */
  readonly until: number;
  readonly streaks: readonly LostStreak[];
  /** How many others ended. */
  readonly more: number;
}

/** A review on the service; its texts are external. */
export interface Review {
  readonly username: string | null;
  /** Its range is not documented. */
  readonly rating: number | null;
  readonly comment: string;
  /** ms since the epoch */
  readonly createdAt: number | null;
}

/** Announces a new review. */
export interface ReviewAnnouncement {
  readonly channelId: string;
  readonly listing: string;
  /** Identifies the review among those of the listing. */
  readonly id: string;
  readonly review: Review;
}

/** Updates what Discord knows of a member for linked roles. The values are read when it is carried out. */
export interface RoleConnection {
  readonly userId: string;
}

/** What each kind of effect contains, as it is stored. */
export interface EffectContents {
  readonly announcement: Announcement;
  readonly role: RoleContent;
  readonly directMessage: DirectMessage;
  readonly ownerReport: OwnerReport;
  readonly partyReward: PartyReward;
  readonly partyPanel: PartyPanel;
  readonly partyReached: PartyReached;
  readonly digest: Digest;
  readonly lostStreaks: LostStreaks;
  readonly review: ReviewAnnouncement;
  readonly roleConnection: RoleConnection;
  readonly handler: HandlerContent;
}

export type EffectKind = keyof EffectContents;
