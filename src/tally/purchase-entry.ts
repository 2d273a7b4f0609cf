import type { Entry } from '../ledger/entry.ts';
import type { ShopItem } from '../rewards/shop-item.ts';

/** The entry of a purchase, which takes the price. */
export function purchaseEntry(userId: string, { name, price }: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(userId, name, at), cause: 'purchase', credits: 0 - price };
}

/** The entry of a refund, which returns the price. */
export function refundEntry(userId: string, { name, price }: Pick<ShopItem, 'name' | 'price'>, at: number): Entry {
  return { ...shopEntry(userId, name, at), cause: 'refund', credits: price };
}

function shopEntry(userId: string, reason: string, at: number) {
  return { userId, listing: null, reason, at, deliveryId: null, untimed: false, achievement: null };
}
