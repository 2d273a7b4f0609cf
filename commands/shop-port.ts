import type { Offer, PurchaseResult, SettlementResult, StoredPurchase } from '../src/core/rewards/stored-purchase.ts';

/** A member in front of the shop of a guild. */
export interface ShopVisitor {
  readonly userId: string;
  /** Null in direct messages. */
  readonly guildId: string | null;
  /** The ids of the member's roles; null in direct messages, where no item that requires a role is sold. */
  readonly roles: readonly string[] | null;
}

/** `unavailable`: the purchase cannot be stored at the moment, and nothing was charged. It may be confirmed again. */
export type ConfirmResult = PurchaseResult | { readonly outcome: 'unavailable' };

/** The shop of the community in which a command is used. All methods reject with the errors of the store. */
export interface Shop {
  /** The items as they are offered to a member, with the member's balance (credits). */
  offers(visitor: ShopVisitor): Promise<{ readonly balance: number; readonly offers: readonly Offer[] }>;
  /** Buys an item, once per confirmation. */
  confirm(
    visitor: ShopVisitor,
    confirmation: {
      readonly itemId: string;
      /** The price that the member saw (credits). */
      readonly price: number;
      /** The id of the interaction that showed the confirmation. */
      readonly confirmationId: string;
    },
  ): Promise<ConfirmResult>;
  /** A member's newest purchases, newest first. */
  purchasesOf(member: Pick<ShopVisitor, 'userId' | 'guildId'>, limit: number): Promise<readonly StoredPurchase[]>;
  /** Fulfils or refunds a reported purchase, once. Null if it was not reported in this channel. */
  settle(settlement: {
    readonly purchaseId: number;
    readonly state: 'fulfilled' | 'refunded';
    readonly channelId: string;
    /** The manager's user id. */
    readonly manager: string;
  }): Promise<SettlementResult | null>;
}
