import type { Fields } from '@tallyhook/platform/json';

declare module '../../core/outbox/effect-contents.ts' {
  /** What became of a purchase. */
  interface DirectMessages {
    readonly purchaseFulfilled: PurchasedItem;
    readonly purchaseRefunded: PurchasedItem;
    /** To the member who last changed the settings, if the guild has no channel for reports. */
    readonly itemUnready: ReportedItem;
  }
  interface OwnerReports {
    /** The owner has to fulfil a purchase. */
    readonly purchase: ReportedPurchase;
    /** It was refunded because Discord did not give the role. */
    readonly purchaseRefunded: ReportedPurchase;
    /** It was refunded before the owner fulfilled it, because the buyer was forgotten. */
    readonly purchaseClosed: ClosedPurchase;
    /** An item is in the shop that nobody can buy. */
    readonly itemUnready: ReportedItem;
  }
}

/** Why nobody can get an item: there is no channel for reports, or the bot cannot give a role. */
export type ItemIssue =
  | 'no_channel'
  | 'role_deleted'
  | 'role_managed'
  | 'role_moderating'
  | 'role_too_high'
  | 'missing_permission';

export interface ReportedItem {
  /** Its name; escape it. */
  readonly item: string;
  readonly issue: ItemIssue;
  /** The role that it is about (Discord ID). */
  readonly role: string | null;
  /** External text; null if it is not known. */
  readonly guildName: string | null;
}

export interface PurchasedItem {
  /** The name of the item; escape it. */
  readonly item: string;
  /** Credits. */
  readonly price: number;
}

export interface ReportedPurchase extends PurchasedItem {
  readonly purchaseId: number;
  readonly userId: string;
}

/** A purchase whose buyer was forgotten. */
export interface ClosedPurchase extends PurchasedItem {
  readonly purchaseId: number;
}

const item: Fields<PurchasedItem> = { item: ['string'], price: ['number'] };
const purchase: Fields<ReportedPurchase> = { ...item, purchaseId: ['number'], userId: ['string'] };

const unready: Fields<ReportedItem> = {
  item: ['string'],
  issue: ['string'],
  role: ['string', null],
  guildName: ['string', null],
};

export const directMessages = { purchaseFulfilled: item, purchaseRefunded: item, itemUnready: unready };

export const ownerReports = {
  purchase,
  purchaseRefunded: purchase,
  purchaseClosed: { ...item, purchaseId: ['number'] },
  itemUnready: unready,
} as const;
