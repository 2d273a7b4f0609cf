import type { AccountId } from '../ledger/account-id.ts';
import type { Entry } from '../ledger/entry.ts';
import type { ShopItem } from '../rewards/shop-item.ts';

/** The entry of a purchase, which takes the price. */
export function purchaseEntry(
  accountId: AccountId,
  { name, price }: Pick<ShopItem, 'name' | 'price'>,
  at: number,
): Entry {
  return { ...shopEntry(accountId, name, at), cause: 'purchase', credits: 0 - price };
}

/** The entry of a refund, which returns the price. */
export function refundEntry(
  accountId: AccountId,
  { name, price }: Pick<ShopItem, 'name' | 'price'>,
  at: number,
): Entry {
  return { ...shopEntry(accountId, name, at), cause: 'refund', credits: price };
}

function shopEntry(accountId: AccountId, reason: string, at: number) {
  return { accountId, listing: null, reason, at, deliveryId: null, untimed: false, achievement: null };
}
