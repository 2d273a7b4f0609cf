import type { Fields } from '@tallyhook/platform/json';
import type { MessageType } from '../../core/outbox/effect-kind.ts';

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

/** What became of a purchase, to the buyer. */
export const fulfilledMessage: MessageType<'purchaseFulfilled', PurchasedItem> = {
  type: 'purchaseFulfilled',
  fields: item,
};
export const refundedMessage: MessageType<'purchaseRefunded', PurchasedItem> = {
  type: 'purchaseRefunded',
  fields: item,
};
/** To the member who last changed the settings, if the guild has no channel for reports. */
export const unreadyMessage: MessageType<'itemUnready', ReportedItem> = { type: 'itemUnready', fields: unready };

/** The owner has to fulfil a purchase. */
export const purchaseReport: MessageType<'purchase', ReportedPurchase> = { type: 'purchase', fields: purchase };
/** A purchase was refunded because Discord did not give the role. */
export const refundedReport: MessageType<'purchaseRefunded', ReportedPurchase> = {
  type: 'purchaseRefunded',
  fields: purchase,
};
/** A purchase was refunded before the owner fulfilled it, because the buyer was forgotten. */
export const closedReport: MessageType<'purchaseClosed', ClosedPurchase> = {
  type: 'purchaseClosed',
  fields: { ...item, purchaseId: ['number'] },
};
/** An item is in the shop that nobody can buy. */
export const unreadyReport: MessageType<'itemUnready', ReportedItem> = { type: 'itemUnready', fields: unready };
