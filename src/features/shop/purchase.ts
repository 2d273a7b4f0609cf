import type { Fields } from '@tallyhook/platform/json';
import type { Markup } from '@tallyhook/platform/texts/markup';
import { addedValue } from '../../core/added-value.ts';
import type { AccountId, CommunityId } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import type { MessageType } from '../../core/outbox/effect-kind.ts';
import type { StoredGrant } from '../../core/rewards/reward.ts';
import type { Texts } from '../../texts/texts.ts';
import type { RoleIssue } from '../roles/feature.ts';

/** Longest code (characters), so that a message with it fits into Discord's limits. */
export const maxCodeLength = 200;

/** Longest description (characters), so that some items fit into a message. */
export const maxDescriptionLength = 200;

/**
 * Something that members of a community buy with credits. Exactly one of `role`, `codes` and `manual` says what the
 * buyer gets.
 */
export interface ShopItem {
  /** Permanent, and unique in the shop. */
  readonly id: string;
  /** 1 to 80 characters, written by the owner: escape it. */
  readonly name: string;
  /** Whole credits, 0 or more. */
  readonly price: number;
  /** The role that the buyer gets (Discord ID); null if the item is not a role. */
  readonly role: string | null;
  /** How long the buyer has the role (ms); null if it does not end, or the item is not a role. */
  readonly forMs: number | null;
  /**
   * Codes without duplicates, each for one buyer only; null if the item is not a code. They are secret, and the
   * redactor of the log does not know them: show and log {@link withoutCodes} instead.
   */
  readonly codes: readonly string[] | null;
  /** True if the owner fulfils the purchase. */
  readonly manual: boolean;
  /** How often the item can be bought in total, by all members; null for no limit other than the number of codes. */
  readonly stock: number | null;
  /** Only members with this role can buy the item (Discord ID); null for all members. */
  readonly needsRole: string | null;
  /** How often a member can buy it, refunds not counted; null for no limit. */
  readonly limit: number | null;
  /** From when until when it is sold (ms since the epoch; `until` is exclusive); null for no bound. */
  readonly from: number | null;
  readonly until: number | null;
  /** Up to {@link maxDescriptionLength} characters, written by the owner: escape it. */
  readonly description: string | null;
  /** One emoji, or one of a server: `<:name:id>`. */
  readonly emoji: string | null;
  /** The https address of a picture, which Discord fetches. */
  readonly picture: string | null;
}

/**
 * The items of a shop: of the settings that the listings of a guild share. Their codes are secret: see {@link
 * ShopItem.codes}.
 */
export const shopItems = addedValue<readonly ShopItem[]>('shop', []);

export interface PublicShopItem extends Omit<ShopItem, 'codes'> {
  /** The number of codes, issued or not; null if the item is not a code. */
  readonly codeCount: number | null;
}

export function withoutCodes({ codes, ...item }: ShopItem): PublicShopItem {
  return { ...item, codeCount: codes?.length ?? null };
}

/**
 * `confirmed`: paid, and the buyer does not have the item yet. `fulfilled`: the buyer has it. `refunded`: the price was
 * paid back, and the item is in stock again.
 */
export type PurchaseState = 'confirmed' | 'fulfilled' | 'refunded';

/**
 * Why an item is not sold. `unknown_item`: the settings do not contain it. `already_owned`: the member has the role for
 * good. `not_ready`: nobody can get it until the team has changed something. `not_on_sale`: it is not sold yet, or not any
 * more. `limit_reached`: the member has bought it as often as each member may.
 */
export type PurchaseRejection =
  | 'unknown_item'
  | 'price_changed'
  | 'role_required'
  | 'already_owned'
  | 'not_ready'
  | 'not_on_sale'
  | 'limit_reached'
  | 'sold_out'
  | 'overdrawn';

/** Everything that a purchase depends on, apart from the item. */
export interface PurchaseContext {
  /** The price that the buyer confirmed (credits). */
  readonly confirmedPrice: number;
  readonly balance: number;
  /** How often the item can still be bought; null for no limit. */
  readonly left: number | null;
  /** How often the buyer has bought it, refunds not counted. */
  readonly bought: number;
  /** The roles of the buyer. */
  readonly roles: readonly string[];
  /** The roles of the member who gets the item: the buyer, or to whom it is given. */
  readonly holderRoles: readonly string[];
  readonly grants: readonly Pick<StoredGrant, 'role' | 'source' | 'until'>[];
  /** True if nothing is missing that the team has to set up. */
  readonly isReady: boolean;
  /** ms since the epoch. */
  readonly now: number;
}

export type PurchaseDecision =
  | { readonly rejection: PurchaseRejection }
  | {
      readonly rejection: null;
      readonly state: 'confirmed' | 'fulfilled';
      /** When the role ends (ms since the epoch); null if it does not end, or the item is not a role. */
      readonly until: number | null;
    };

/** Checks whether an item is sold to a member, and what the member gets. */
export function decidePurchase(item: PublicShopItem, context: PurchaseContext): PurchaseDecision {
  const rejection = rejectionOf(item, context);
  if (rejection !== null) return { rejection };
  // A code is shown at once. A role is fulfilled by Discord, everything else by the owner.
  const state = item.codeCount === null ? 'confirmed' : 'fulfilled';
  return { rejection, state, until: roleEnd(item, context) };
}

export function grantSource(purchaseId: number): string {
  return `${sourcePrefix}${purchaseId}`;
}

const sourcePrefix = 'shop ';

function rejectionOf(item: PublicShopItem, context: PurchaseContext): PurchaseRejection | null {
  const { confirmedPrice, balance, left, bought, roles, isReady, now } = context;
  if (!isOnSale(item, now)) return 'not_on_sale';
  if (!isReady) return 'not_ready';
  if (item.price !== confirmedPrice) return 'price_changed';
  if (item.needsRole !== null && !roles.includes(item.needsRole)) return 'role_required';
  if (item.role !== null && isOwned(item.role, context)) return 'already_owned';
  if (item.limit !== null && bought >= item.limit) return 'limit_reached';
  if (left !== null && left <= 0) return 'sold_out';
  return balance < item.price ? 'overdrawn' : null;
}

export function isOnSale({ from, until }: Pick<ShopItem, 'from' | 'until'>, now: number): boolean {
  return (from === null || from <= now) && (until === null || now < until);
}

/** A role without a grant was given by somebody else. Sold for some days, it would be taken away at their end. */
function isOwned(role: string, { holderRoles, grants }: PurchaseContext): boolean {
  const ofRole = grants.filter((grant) => grant.role === role);
  return ofRole.length === 0 ? holderRoles.includes(role) : ofRole.some(({ until }) => until === null);
}

/**
 * When the role ends: what was bought before is extended. Grants of other sources are not: a premium role can be
 * revoked, for example.
 */
function roleEnd({ role, forMs }: PublicShopItem, { grants, now }: PurchaseContext): number | null {
  if (forMs === null) return null;
  const bought = grants.filter((grant) => grant.role === role && grant.source.startsWith(sourcePrefix));
  return Math.max(now, ...bought.map(({ until }) => until ?? now)) + forMs;
}

/** How often an item can still be bought; null for no limit. */
export function leftOf(
  { stock, codes }: Pick<ShopItem, 'stock' | 'codes'>,
  sold: number,
  unissued: number,
): number | null {
  const limits = [stock === null ? null : Math.max(0, stock - sold), codes === null ? null : unissued];
  const known = limits.filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function purchaseEntry(accountId: AccountId, item: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(accountId, item.name, at), cause: 'purchase', credits: 0 - item.price };
}

export function refundEntry(accountId: AccountId, item: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(accountId, item.name, at), cause: 'refund', credits: item.price };
}

function shopEntry(accountId: AccountId, reason: string, at: number) {
  return { accountId, listing: null, reason, at, deliveryId: null, untimed: false, achievement: null };
}

/** @param price in credits */
export function priceText(price: number, { text }: Pick<Texts, 'text'>): Markup {
  return price === 0 ? text('shop.free') : text('parts.credits', { count: price });
}

/**
 * Why nobody can get an item: there is no channel for reports, all codes are issued, its time is over, or the bot cannot give
 * a role.
 */
export type ItemIssue = 'no_channel' | 'no_codes' | 'ended' | RoleIssue;

/** An item that nobody can get until the team has changed something. */
export interface UnreadyItem {
  readonly item: Pick<ShopItem, 'id' | 'name'>;
  readonly issue: ItemIssue;
  /** The role that it is about; null for none. */
  readonly role: string | null;
  /** The version of the issue, such as the number of issued codes: it is reported again when that has changed. */
  readonly version: number;
}

export interface ReportedItem {
  readonly item: string;
  readonly issue: ItemIssue;
  /** The role that it is about (Discord ID). */
  readonly role: string | null;
  /** External text; null if it is not known. */
  readonly guildName: string | null;
}

export interface PurchasedItem {
  readonly item: string;
  /** Credits. */
  readonly price: number;
}

export interface ReportedPurchase extends PurchasedItem {
  readonly purchaseId: number;
  readonly userId: string;
  /** To whom it is given; null if the buyer gets it. */
  readonly receiverId: string | null;
}

/** A purchase whose buyer was forgotten. */
export interface ClosedPurchase extends PurchasedItem {
  readonly purchaseId: number;
}

const item: Fields<PurchasedItem> = { item: ['string'], price: ['number'] };
const purchase: Fields<ReportedPurchase> = {
  ...item,
  purchaseId: ['number'],
  userId: ['string'],
  receiverId: ['string', null],
};

const unready: Fields<ReportedItem> = {
  item: ['string'],
  issue: ['string'],
  role: ['string', null],
  guildName: ['string', null],
};

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
export const unreadyReport: MessageType<'itemUnready', ReportedItem> = { type: 'itemUnready', fields: unready };

export interface ShopContext {
  /** Which accounts pay. */
  readonly communityId: CommunityId;
  /** Discord ID of the guild; null if it is not configured. */
  readonly guildId: string | null;
  readonly items: readonly ShopItem[];
  /** Channel for reports to the owner; null for none. */
  readonly ownerChannelId: string | null;
  /** The ids of items that nobody can get until the team has changed something; none by default. */
  readonly unready?: ReadonlySet<string>;
}

export interface ShopMember {
  readonly userId: string;
  /** The member's roles in Discord (ids); empty if they are not known. */
  readonly roles: readonly string[];
}

/** A confirmed purchase. Plain data. */
export interface PurchaseOrder {
  /** The id of the interaction that showed the confirmation. Each is one purchase, however often it is confirmed. */
  readonly confirmationId: string;
  readonly member: ShopMember;
  /** To whom a role, or what the owner fulfils, is given; by default the buyer gets it. */
  readonly receiver?: ShopMember | null;
  /** Null if the settings no longer contain it. Then only an earlier purchase with the confirmation is returned. */
  readonly item: ShopItem | null;
  /** The price in the confirmation (credits). */
  readonly confirmedPrice: number;
  /** Which account pays. */
  readonly communityId: CommunityId;
  readonly guildId: string | null;
  readonly ownerChannelId: string | null;
  /** True if nothing of the item is missing that the team has to set up. */
  readonly isReady: boolean;
  /** True if there is a handler for purchases; by default there is none. */
  readonly isHandled?: boolean;
}

/** How a manager settles a purchase that the owner fulfils. */
export interface Settlement {
  readonly purchaseId: number;
  readonly state: 'fulfilled' | 'refunded';
  /** The channel in which the manager pressed the button. It must be the one in which the purchase was reported. */
  readonly channelId: string | null;
}

export interface ShopVisitor {
  readonly userId: string;
  /** Null in direct messages. */
  readonly guildId: string | null;
  /** The ids of the member's roles; null in direct messages, where no item that requires a role is sold. */
  readonly roles: readonly string[] | null;
}
