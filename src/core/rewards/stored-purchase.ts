import type { PurchaseRejection, PurchaseState } from './purchase.ts';
import type { PublicShopItem } from './shop-item.ts';

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

/** A settled purchase. `settled` is false if it was settled before; then nothing was written. */
export interface SettlementResult {
  readonly purchase: StoredPurchase;
  readonly settled: boolean;
  /** Those of new effects. */
  readonly queues: readonly string[];
}
