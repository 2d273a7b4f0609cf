import type { CommunityId } from '../../core/ledger/account.ts';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { PublicShopItem, ShopItem } from './item.ts';
import type { PurchaseRejection, PurchaseState } from './rules.ts';

/** The shop of a community, as its settings say now. */
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

/** All items as they are offered to a member, with the member's balance (credits). */
export interface Offers {
  readonly balance: number;
  readonly offers: readonly Offer[];
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
  readonly communityId: CommunityId;
  readonly guildId: string | null;
  readonly ownerChannelId: string | null;
  /** Whether nothing of the item is missing that the team has to set up. */
  readonly isReady: boolean;
  /** Whether there is a handler for purchases; by default there is none. */
  readonly isHandled?: boolean;
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
  /** Those of new effects. */
  readonly queues: readonly QueueName[];
}

/** A purchase as the owner sees it: never with the code, which is secret to everyone but the buyer. */
export type PurchaseRecord = Pick<StoredPurchase, 'id' | 'userId' | 'name' | 'price' | 'state' | 'role' | 'at'>;

export interface PurchaseSummary {
  /** At most 10, newest first. */
  readonly newest: readonly PurchaseRecord[];
  /** How many the owner has neither fulfilled nor refunded yet. */
  readonly waiting: number;
}

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
  offers(visitor: ShopVisitor): Promise<Offers>;
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
  /**
   * Fulfils or refunds a reported purchase, once. Null if it was not reported in this channel.
   * @param manager a user id
   */
  settle(settlement: Settlement & { readonly manager: string }): Promise<SettlementResult | null>;
}
