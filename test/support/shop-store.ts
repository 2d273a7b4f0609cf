import { day } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { onTestFinished } from 'vitest';
import type { PurchaseOrder, ShopItem } from '../../src/features/shop/purchase.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { firstCommunity } from './communities.ts';

export const start = Date.UTC(2026, 0, 5, 12);
export const guildId = '613425648685547541';
export const ownerChannelId = '500000000000000009';
export const vipRole = '700000000000000001';

export function itemOf(changes: Partial<ShopItem>): ShopItem {
  const none = { role: null, forMs: null, codes: null, manual: false, stock: null, needsRole: null };
  const noLooks = { limit: null, from: null, until: null, description: null, emoji: null, picture: null };
  return { id: 'shout', name: 'Shout-out', price: 50, ...none, ...noLooks, ...changes };
}

export const shout = itemOf({ manual: true });
export const vip = itemOf({ id: 'vip', name: 'VIP', price: 30, role: vipRole, forMs: 7 * day });
export const keys = itemOf({ id: 'key', name: 'Game key', price: 10, codes: ['AAA-1', 'BBB-2', 'CCC-3'] });

let confirmations = 0;

/** A confirmed purchase by user 1, with a confirmation of its own. */
export function orderOf(item: ShopItem, changes: Partial<PurchaseOrder> & { userId?: string; roles?: string[] } = {}) {
  const { userId = '1', roles = [], isReady = true, ...others } = changes;
  confirmations += 1;
  const order = {
    confirmationId: `confirmation ${confirmations}`,
    confirmedPrice: item.price,
    communityId: firstCommunity,
    guildId,
    ownerChannelId,
    isReady,
  };
  return { ...order, item, member: { userId, roles }, ...others } satisfies PurchaseOrder;
}

export async function openShop(url: string): Promise<Store> {
  const store = await openStore(url, storeClock(manualClock(start)), { thread: false });
  onTestFinished(() => store.close());
  return store;
}

/** Gives credits to an account. */
export async function deposit(store: Store, userId: string, credits: number): Promise<void> {
  await store.recorder.correct(
    { communityId: firstCommunity, userId, credits, reason: 'deposit', at: start },
    `deposit ${userId}`,
  );
}

export async function creditsOf(store: Store, userId = '1'): Promise<number> {
  return (await store.ledgerIn(firstCommunity).account(userId)).credits;
}

/** Every effect that waits, oldest first. */
export async function waitingEffects(store: Store) {
  const effects = await store.records.effects({ state: 'waiting', before: null, limit: 500 });
  return effects.toReversed();
}
