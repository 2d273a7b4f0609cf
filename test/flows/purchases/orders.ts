import type { ShopItem } from '../../../src/rewards/shop-item.ts';
import type { PurchaseOrder } from '../../../src/tally/purchase-store.ts';

/* What the programs of the crash test buy. Without vitest, because they run outside of it. */

export const guildId = '613425648685547541';
export const ownerChannelId = '500000000000000009';
export const role = '700000000000000001';
export const users = ['11', '12', '13', '14', '15'];
export const orderCount = 600;
export const stock = 25;

const none = { role: null, forMs: null, codes: null, manual: false, stock: null, needsRole: null };
const codes = Array.from({ length: 60 }, (_, index) => `code ${index}`);
const items: readonly ShopItem[] = [
  { ...none, id: 'key', name: 'Game key', price: 7, codes },
  { ...none, id: 'vip', name: 'VIP', price: 11, role, forMs: 86_400_000 },
  { ...none, id: 'rare', name: 'Rare', price: 3, manual: true, stock },
];

/** The order with this number, always the same. */
export function orderOf(number: number): PurchaseOrder {
  const item = items[number % items.length] ?? null;
  const member = { userId: users[number % users.length] ?? '', roles: [] };
  const confirmedPrice = item?.price ?? 0;
  const confirmationId = `confirmation ${number}`;
  return { confirmationId, member, item, confirmedPrice, accounts: '', guildId, ownerChannelId };
}
