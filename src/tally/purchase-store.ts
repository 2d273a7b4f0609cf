import type { PurchaseRejection, PurchaseState } from '../rewards/purchase.ts';
import type { PublicShopItem, ShopItem } from '../rewards/shop-item.ts';

/** The shop of a community, as its settings say now. */
export interface ShopContext {
  /** Discord ID of the guild; null if it is not configured. */
  readonly guildId: string | null;
  readonly items: readonly ShopItem[];
  /** Channel for reports to the owner; null for none. */
  readonly ownerChannelId: string | null;
}

/** A member in front of the shop. */
export interface ShopMember {
  readonly userId: string;
  /** The member's roles in Discord (ids); empty if they are not known. */
  readonly roles: readonly string[];
}

/** An item as it is offered to a member. */
export interface Offer {
  readonly item: PublicShopItem;
  /** How often it can still be bought; null for no limit. */
  readonly left: number | null;
  /** Why the member cannot buy it now; null if it is sold. */
  readonly rejection: PurchaseRejection | null;
  /** When the role would end if it was bought now (ms since the epoch); null if it would not. */
  readonly until: number | null;
}

/** A confirmed purchase. Plain data. */
export interface PurchaseOrder {
  /** The id of the interaction that showed the confirmation. Each is one purchase, however often it is confirmed. */
  readonly confirmationId: string;
  readonly member: ShopMember;
  readonly item: ShopItem;
  /** The price in the confirmation (credits). */
  readonly confirmedPrice: number;
  readonly guildId: string | null;
  readonly ownerChannelId: string | null;
}

/** A purchase as it is stored: complete without the settings, which may no longer contain the item. */
export interface StoredPurchase {
  readonly id: number;
  readonly userId: string;
  /** The item's id. */
  readonly item: string;
  /** The item's name when it was bought. Written by the owner: escape it. */
  readonly name: string;
  /** Credits. */
  readonly price: number;
  readonly state: PurchaseState;
  /** The balance after the purchase (credits). */
  readonly balance: number;
  /** The role that was bought (Discord ID); null if the item is not a role. */
  readonly role: string | null;
  /** When the role ends (ms since the epoch); null if it does not end, or the item is not a role. */
  readonly until: number | null;
  /** The code that was issued, secret to everyone but the buyer; null if the item is not a code. */
  readonly code: string | null;
  /** ms since the epoch. */
  readonly at: number;
}

export type PurchaseResult =
  /** `repeated`: the confirmation was used before, and nothing was written now. */
  | { readonly outcome: 'purchased'; readonly purchase: StoredPurchase; readonly repeated: boolean }
  /** Nothing was written. `balance` in credits. */
  | { readonly outcome: 'rejected'; readonly rejection: PurchaseRejection; readonly balance: number }
  /** The confirmation was used by another member. */
  | { readonly outcome: 'foreign' };

/** How a manager settles a purchase that the owner fulfils. */
export interface Settlement {
  readonly purchaseId: number;
  readonly state: 'fulfilled' | 'refunded';
  /** The channel in which the manager pressed the button. It must be the one in which the purchase was reported. */
  readonly channelId: string;
}

/** A settled purchase. `settled` is false if it was settled before; then nothing was written. */
export interface SettlementResult {
  readonly purchase: StoredPurchase;
  readonly settled: boolean;
}

/**
 * Purchases. Times are ms since the epoch. Methods that write reject with {@link StoreUnavailableError} or TallyhookError
 * `queue_full`, methods that only read with the driver's own error.
 */
export interface PurchaseStore {
  /** The items as they are offered to a member, with the member's balance (credits). */
  offers(
    shop: ShopContext,
    member: ShopMember,
    now: number,
  ): Promise<{ readonly balance: number; readonly offers: readonly Offer[] }>;
  /**
   * Sells an item: pays, takes it out of stock, issues the code, grants the role and enqueues effects, or none of it.
   */
  purchase(order: PurchaseOrder, now: number): Promise<PurchaseResult>;
  /** Fulfils or refunds a purchase that the owner fulfils, once. Null if it is not such a purchase of the channel. */
  settle(settlement: Settlement, now: number): Promise<SettlementResult | null>;
  /** A user's newest purchases, newest first. */
  purchasesOf(userId: string, limit: number): Promise<readonly StoredPurchase[]>;
}
