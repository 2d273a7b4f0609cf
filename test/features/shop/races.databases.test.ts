import { systemClock } from '@tallyhook/platform/clock';
import { hour } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { expect, it, onTestFinished } from 'vitest';
import type { StoredPurchase } from '../../../src/features/shop/store.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import {
  deposit,
  expectCleanAudit,
  guildId,
  itemOf,
  keys,
  orderOf,
  ownerChannelId,
  shout,
  vip,
  vipRole,
} from '../../support/shop-store.ts';

const [listing] = serverAndBot();
const start = Date.now() - 48 * hour;
const seed = Number(process.env['TALLYHOOK_RACE_SEED'] ?? Date.now() % 1_000_000);

/* Two processes sell at the same moment what must be sold once, while votes are recorded. */
describeOnEveryDatabase(`two shops (seed ${seed})`, (newUrl) => {
  async function openTwo() {
    const url = newUrl();
    const stores = [await openStore(url, systemClock), await openStore(url, systemClock)] as const;
    onTestFinished(() => Promise.all(stores.map((store) => store.close())).then(() => {}));
    return { url, stores };
  }

  function vote(store: Store, userId: string, at: number) {
    if (listing === undefined) throw new Error('no listing');
    const target = { kind: 'server', id: null } as const;
    const event: Vote = { family: 'vote', kind: 'server_vote', target, userId, at, creditsAwarded: null, denial: null };
    const delivery = { receivedAt: at, family: 'vote', body: JSON.stringify(event) } as const;
    return store.recorder.record(delivery, { type: 'event', event, listing });
  }

  const sold = (results: readonly { readonly outcome: string }[]) =>
    results.filter(({ outcome }) => outcome === 'purchased');

  it('sell one confirmation once, and the last of the stock and of the credits once', async () => {
    const { url, stores } = await openTwo();
    for (let round = 0; round < 4; round += 1) {
      const [a, b] = [`1${round}`, `2${round}`];
      await deposit(stores[0], a, 60);
      await deposit(stores[1], b, 60);
      const once = orderOf(shout, { userId: a });
      const pressed = await Promise.all([...stores, ...stores].map((store) => store.shop.purchase(once, start)));
      expect(pressed.filter((result) => result.outcome === 'purchased' && !result.repeated)).toHaveLength(1);
      expect(new Set(pressed.map((result) => result.outcome === 'purchased' && result.purchase.id)).size).toBe(1);
      // 10 credits are left, for one of two things.
      const cheap = { ...shout, price: 10 };
      const last = await Promise.all(stores.map((store) => store.shop.purchase(orderOf(cheap, { userId: a }), start)));
      expect(sold(last)).toHaveLength(1);
      const rare = itemOf({ id: `rare${round}`, manual: true, stock: 1, price: 0 });
      const raced = await Promise.all(
        stores.map((store, index) => store.shop.purchase(orderOf(rare, { userId: [a, b][index] ?? '' }), start)),
      );
      expect(sold(raced)).toHaveLength(1);
    }
    await expectCleanAudit(url);
  });

  it('settle a purchase once', async () => {
    const { url, stores } = await openTwo();
    const role = { guildId, userId: '1', role: vipRole };
    await deposit(stores[0], '1', 50);
    for (let round = 0; round < 3; round += 1) {
      await stores[0].shop.purchase(orderOf(vip), start);
      await Promise.all(stores.map((store) => store.roles.settleRole(role, 'failed', start)));
      const manual = await stores[1].shop.purchase(orderOf(shout), start);
      const purchaseId = manual.outcome === 'purchased' ? manual.purchase.id : 0;
      const refund = { purchaseId, state: 'refunded', channelId: ownerChannelId } as const;
      const settled = await Promise.all(stores.map((store) => store.shop.settle(refund, start)));
      expect(settled.filter((result) => result?.settled)).toHaveLength(1);
      expect((await stores[0].ledgerIn(firstCommunity).account('1')).credits).toBe(50);
    }
    await expectCleanAudit(url);
  });

  it('keep every rule under random presses, settlements and votes', async () => {
    const { url, stores } = await openTwo();
    const random = createPrng(seed);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const users = ['31', '32', '33'];
    const codes = Array.from({ length: 12 }, (_, index) => `code ${index}`);
    const items = [vip, { ...keys, codes }, shout, itemOf({ id: 'rare', manual: true, stock: 3, price: 5 })];
    for (const userId of users) await deposit(pick(stores), userId, 100);
    const orders = Array.from({ length: 60 }, () => orderOf(pick(items), { userId: pick(users) }));
    let voteAt = start;

    async function act(): Promise<void> {
      const store = pick(stores);
      const roll = random();
      const userId = pick(users);
      if (roll < 0.6) await store.shop.purchase(pick(orders), start);
      else if (roll < 0.75) {
        voteAt += 13 * hour;
        await vote(store, userId, voteAt);
      } else if (roll < 0.9) {
        const result = pick(['applied', 'failed', 'parked'] as const);
        await store.roles.settleRole({ guildId, userId, role: vipRole }, result, start);
      } else {
        const purchaseId = Math.ceil(random() * 40);
        const state = pick(['fulfilled', 'refunded'] as const);
        await store.shop.settle({ purchaseId, state, channelId: ownerChannelId }, start);
      }
    }

    for (let round = 0; round < 8; round += 1) await Promise.all(Array.from({ length: 12 }, act));

    const purchases: StoredPurchase[] = [];
    for (const userId of users) {
      const own = await stores[0].shop.purchasesOf(userId, firstCommunity, 1_000);
      purchases.push(...own);
      const entries = (await stores[0].records.entries(accountOf(userId), 1_000)).toReversed();
      let balance = 0;
      for (const { credits } of entries) {
        balance += credits;
        expect(balance).toBeGreaterThanOrEqual(0);
      }
      const sumOf = (cause: string) =>
        entries.filter((entry) => entry.cause === cause).reduce((sum, { credits }) => sum + credits, 0);
      const priceOf = (paid: readonly StoredPurchase[]) => paid.reduce((sum, { price }) => sum + price, 0);
      expect(0 - sumOf('purchase')).toBe(priceOf(own));
      expect(sumOf('refund')).toBe(priceOf(own.filter(({ state }) => state === 'refunded')));
    }
    expect(purchases.length).toBeGreaterThan(10);
    expect(purchases.filter(({ item, state }) => item === 'rare' && state !== 'refunded').length).toBeLessThanOrEqual(
      3,
    );
    const issued = purchases.flatMap(({ code }) => (code === null ? [] : [code]));
    expect(new Set(issued).size).toBe(issued.length);
    // Each confirmation is one purchase still, and has its result.
    for (const order of orders) {
      const again = await Promise.all(stores.map((store) => store.shop.purchase({ ...order, item: null }, start)));
      expect(again[0]).toEqual(again[1]);
    }
    expect(
      (await Promise.all(users.map((user) => stores[0].shop.purchasesOf(user, firstCommunity, 1_000)))).flat(),
    ).toEqual(purchases);
    await expectCleanAudit(url);
  });
});
