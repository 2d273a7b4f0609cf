import type { AccountScope } from '../ledger/account-id.ts';
import type { ShopItem } from '../rewards/shop-item.ts';
import type { Offer, PurchaseResult, SettlementResult, StoredPurchase } from '../rewards/stored-purchase.ts';

/** The shop of a community, as its settings say now. */
export interface ShopContext {
  /** Which accounts pay. */
  readonly accounts: AccountScope;
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

/** A confirmed purchase. Plain data. */
export interface PurchaseOrder {
  /** The id of the interaction that showed the confirmation. Each is one purchase, however often it is confirmed. */
  readonly confirmationId: string;
  readonly member: ShopMember;
  /** Null if the settings no longer contain it. Then only an earlier purchase with the confirmation is returned. */
  readonly item: ShopItem | null;
  /** The price in the confirmation (credits). */
  readonly confirmedPrice: number;
  /** Which account pays. */
  readonly accounts: AccountScope;
  readonly guildId: string | null;
  readonly ownerChannelId: string | null;
  /** Whether there is a handler for purchases; by default there is none. */
  readonly isHandled?: boolean;
}

/** How a manager settles a purchase that the owner fulfils. */
export interface Settlement {
  readonly purchaseId: number;
  readonly state: 'fulfilled' | 'refunded';
  /** The channel in which the manager pressed the button. It must be the one in which the purchase was reported. */
  readonly channelId: string;
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
  /** A member's newest purchases in a community, newest first. */
  purchasesOf(userId: string, accounts: AccountScope, limit: number): Promise<readonly StoredPurchase[]>;
}
