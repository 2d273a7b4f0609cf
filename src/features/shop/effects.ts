import type { Fields } from '../../platform/json.ts';

declare module '../../core/outbox/effect-contents.ts' {
  /** What became of a purchase. */
  interface DirectMessages {
    readonly purchaseFulfilled: PurchasedItem;
    readonly purchaseRefunded: PurchasedItem;
  }
  interface OwnerReports {
    /** The owner has to fulfil a purchase. */
    readonly purchase: ReportedPurchase;
    /** It was refunded because Discord did not give the role. */
    readonly purchaseRefunded: ReportedPurchase;
    /** It was refunded before the owner fulfilled it, because the buyer was forgotten. */
    readonly purchaseClosed: ClosedPurchase;
  }
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

export const directMessages = { purchaseFulfilled: item, purchaseRefunded: item };

export const ownerReports = {
  purchase,
  purchaseRefunded: purchase,
  purchaseClosed: { ...item, purchaseId: ['number'] },
} as const;
