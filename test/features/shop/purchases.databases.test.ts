import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { describe, expect, it, onTestFinished } from 'vitest';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { ShopContext, ShopItem } from '../../../src/features/shop/purchase.ts';
import type { StoredPurchase } from '../../../src/features/shop/store.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { accountOf, addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { channelQueue, directMessageQueue } from '../../support/queues.ts';
import { recordVote } from '../../support/record-vote.ts';
import {
  creditsOf,
  deposit,
  guildId,
  itemOf,
  keys,
  openShop,
  orderOf,
  ownerChannelId,
  shout,
  start,
  vip,
  vipRole,
  waitingEffects,
} from '../../support/shop-store.ts';
import { isConsistent } from '../../support/voting.ts';

const role = { guildId, userId: '1', role: vipRole };

describeOnEveryDatabase('purchases', (newUrl) => {
  async function open(credits = 100) {
    const url = newUrl();
    const store = await openShop(url);
    await deposit(store, '1', credits);
    return { url, store };
  }

  const buy = (store: Store, item: ShopItem, at = start, changes: Parameters<typeof orderOf>[1] = {}) =>
    store.shop.purchase(orderOf(item, changes), at);

  async function kindsOf(store: Store): Promise<string[]> {
    return (await waitingEffects(store)).map(({ kind, queue }) => `${kind} ${queue}`);
  }

  it('take the price, with an entry that names the item', async () => {
    const { url, store } = await open();
    const result = await buy(store, shout);
    expect(result).toMatchObject({
      outcome: 'purchased',
      repeated: false,
      purchase: { balance: 50, state: 'confirmed' },
    });
    expect(await store.records.entries(accountOf('1'), 1)).toMatchObject([
      { cause: 'purchase', credits: -50, reason: 'Shout-out', at: start },
    ]);
    expect(await creditsOf(store)).toBe(50);
    expect(await kindsOf(store)).toEqual([`ownerReport ${channelQueue(ownerChannelId)}`]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('are one per confirmation, also after the price or the stock has changed', async () => {
    const { store } = await open();
    const order = orderOf(keys);
    const first = await store.shop.purchase(order, start);
    const changed = { ...order, item: { ...keys, price: 99, stock: 0, codes: [] }, confirmedPrice: 99 };
    expect(await store.shop.purchase(changed, start + minute)).toEqual({ ...first, repeated: true });
    expect(first).toMatchObject({ purchase: { code: 'AAA-1', state: 'fulfilled', price: 10 } });
    expect(await creditsOf(store)).toBe(90);
    expect(await store.shop.purchase({ ...order, member: { userId: '2', roles: [] } }, start)).toEqual({
      outcome: 'foreign',
    });
  });

  it.each([
    ['price_changed', shout, { confirmedPrice: 49 }],
    ['role_required', itemOf({ manual: true, needsRole: '9' }), { roles: ['8'] }],
    ['already_owned', { ...vip, forMs: null }, { roles: [vipRole] }],
    ['not_ready', shout, { isReady: false }],
    ['sold_out', itemOf({ manual: true, stock: 0 }), {}],
    ['overdrawn', itemOf({ manual: true, price: 101 }), {}],
  ] as const)('are rejected as %s, and write nothing', async (rejection, item, changes) => {
    const { store } = await open();
    expect(await buy(store, item, start, changes as object)).toEqual({ outcome: 'rejected', rejection, balance: 100 });
    expect(await store.records.entries(accountOf('1'), 9)).toHaveLength(1);
    expect(await kindsOf(store)).toEqual([]);
    expect(await buy(store, shout, start, { userId: '404' })).toMatchObject({ rejection: 'overdrawn', balance: 0 });
    expect(await store.records.counts()).toMatchObject({ users: 1 });
  });

  it('issue each code once, also under another id of the item, and offer what is left', async () => {
    const { store } = await open();
    const renamed = { ...keys, id: 'renamed' };
    const codes = [];
    for (const item of [keys, renamed, keys]) {
      const result = await buy(store, item);
      codes.push(result.outcome === 'purchased' && result.purchase.code);
    }
    expect(codes).toEqual(['AAA-1', 'BBB-2', 'CCC-3']);
    expect(await buy(store, keys)).toMatchObject({ rejection: 'sold_out' });
    const items = [
      { ...keys, codes: ['BBB-2', 'DDD-4', 'EEE-5'] },
      { ...keys, id: 'few', codes: ['X'], stock: 0 },
      shout,
    ];
    const { balance, offers } = await store.shop.offers(
      { communityId: firstCommunity, guildId, ownerChannelId, items },
      { userId: '1', roles: [] },
      start,
    );
    expect(balance).toBe(70);
    expect(offers.map(({ item, left, rejection }) => [item.id, left, rejection])).toEqual([
      ['key', 2, null],
      ['few', 0, 'sold_out'],
      ['shout', null, null],
    ]);
    expect(JSON.stringify(offers)).not.toContain('DDD-4');
  });

  it('of an item with a limit are counted per member, and a refund gives one back', async () => {
    const { store } = await open();
    const limited = { ...shout, price: 1, limit: 2 };
    const bought = [await buy(store, limited), await buy(store, limited), await buy(store, limited)];
    expect(bought[2]).toEqual({ outcome: 'rejected', rejection: 'limit_reached', balance: 98 });
    const [first] = bought;
    const purchaseId = first?.outcome === 'purchased' ? first.purchase.id : 0;
    await store.shop.settle({ purchaseId, state: 'refunded', channelId: ownerChannelId }, start);
    expect(await buy(store, limited)).toMatchObject({ outcome: 'purchased' });
    expect(await buy(store, limited)).toMatchObject({ rejection: 'limit_reached' });
    await deposit(store, '2', 5);
    expect(await buy(store, limited, start, { userId: '2' })).toMatchObject({ outcome: 'purchased' });
    // Elsewhere the same item has not been bought.
    const communityId = await addCommunity(store, '613425648685547548');
    const elsewhere = { communityId, guildId: '613425648685547548' };
    expect(await buy(store, { ...limited, price: 0 }, start, elsewhere)).toMatchObject({ outcome: 'purchased' });
  });

  describe('for another member', () => {
    const given = { guildId, userId: '2', role: vipRole };
    const receiver = { userId: '2', roles: [] };

    it('take the price of the buyer, and give the role to the other, who need not have an account', async () => {
      const { url, store } = await open();
      expect(await buy(store, vip, start, { receiver })).toMatchObject({
        purchase: { userId: '1', receiverId: '2', balance: 70 },
      });
      expect(await store.records.entries(accountOf('1'), 1)).toMatchObject([{ cause: 'purchase', credits: -30 }]);
      expect(await store.records.entries(accountOf('2'), 1)).toEqual([]);
      expect(await store.records.grants('2')).toMatchObject([{ role: vipRole, until: start + 7 * day }]);
      expect(await store.records.grants('1')).toEqual([]);
      expect(await store.shop.isPaidFor(given)).toBe(true);
      expect(await isConsistent(url)).toBe(true);
    });

    it('are refunded to the buyer if Discord does not give the role, or the other is forgotten', async () => {
      const { url, store } = await open();
      await buy(store, vip, start, { receiver });
      await store.roles.settleRole(given, 'failed', start);
      expect(await creditsOf(store)).toBe(100);
      expect(await store.records.grants('2')).toEqual([]);
      await buy(store, vip, start, { receiver });
      await buy(store, shout, start, { receiver });
      expect(await creditsOf(store)).toBe(20);
      const forgetting = { pseudonym: 'forgotten-1', now: start, keepVotesMs: hour };
      await forgetMember(store.memberData, '2', forgetting);
      expect(await creditsOf(store)).toBe(100);
      expect((await store.shop.purchasesOf('1', firstCommunity, 9)).map(({ state }) => state)).toEqual([
        ...['refunded', 'refunded', 'refunded'],
      ]);
      expect(JSON.stringify(await store.memberData.export('1'))).not.toContain('"receiver_id":"2"');
      expect(await isConsistent(url)).toBe(true);
    });

    it('extend what the other has bought, and are not sold if the other has the role for good', async () => {
      const { store } = await open();
      await buy(store, vip, start, { receiver });
      expect(await buy(store, vip, start, { receiver })).toMatchObject({ purchase: { until: start + 14 * day } });
      const forGood = { userId: '3', roles: [vipRole] };
      expect(await buy(store, vip, start, { receiver: forGood })).toMatchObject({ rejection: 'already_owned' });
      // The roles of the buyer say nothing of that, and are those that an item needs.
      const needing = { ...vip, needsRole: '9' };
      expect(await buy(store, needing, start, { receiver, roles: [vipRole, '9'] })).toMatchObject({
        outcome: 'purchased',
      });
      const other = { userId: '4', roles: ['9'] };
      expect(await buy(store, needing, start, { receiver: other })).toMatchObject({ rejection: 'role_required' });
    });

    it('leave a code with the buyer', async () => {
      const { store } = await open();
      expect(await buy(store, keys, start, { receiver })).toMatchObject({ purchase: { receiverId: null } });
    });
  });

  describe('compare codes', () => {
    const otherGuild = '613425648685547549';
    const leftIn = async (store: Store, shop: Pick<ShopContext, 'guildId' | 'communityId'>) => {
      const { offers } = await store.shop.offers(
        { ...shop, ownerChannelId, items: [keys] },
        { userId: '1', roles: [] },
        start,
      );
      return offers[0]?.left;
    };

    it('within their guild: another one sells the same codes, and does not learn which were issued', async () => {
      const { store } = await open();
      const communityId = await addCommunity(store, otherGuild);
      const other = { guildId: otherGuild, communityId };
      await store.recorder.correct(
        { communityId, userId: '1', credits: 100, reason: 'deposit', at: start },
        'deposit elsewhere',
      );
      expect(await buy(store, keys)).toMatchObject({ purchase: { code: 'AAA-1' } });
      expect(await leftIn(store, other)).toBe(3);
      expect(await buy(store, keys, start, other)).toMatchObject({ purchase: { code: 'AAA-1' } });
      expect(await buy(store, keys, start, other)).toMatchObject({ purchase: { code: 'BBB-2' } });
      expect(await leftIn(store, other)).toBe(1);
      expect(await leftIn(store, { guildId, communityId: firstCommunity })).toBe(2);
    });
  });

  it('find the unissued ones among thousands of codes', async () => {
    const { store } = await open();
    const codes = Array.from({ length: 2_100 }, (_, index) => `code ${index}`);
    for (const index of [0, 999, 1_000, 2_099]) await buy(store, { ...keys, codes: [`code ${index}`] });
    const item = { ...keys, codes };
    const { offers } = await store.shop.offers(
      { communityId: firstCommunity, guildId, ownerChannelId, items: [item] },
      { userId: '1', roles: [] },
      start,
    );
    expect(offers).toMatchObject([{ left: 2_096 }]);
    expect(
      await buy(store, { ...item, codes: [...codes.slice(999, 1_001), ...codes.slice(2_099), 'last'] }),
    ).toMatchObject({ purchase: { code: 'last' } });
  });

  it('of a role extend what was bought before, and are fulfilled when Discord has the role', async () => {
    const { store } = await open();
    expect(await buy(store, vip)).toMatchObject({ purchase: { state: 'confirmed', until: start + 7 * day } });
    expect(await buy(store, vip, start + day)).toMatchObject({ purchase: { until: start + 14 * day } });
    await store.roles.settleRole(role, 'applied', start + day);
    expect(await store.shop.purchasesOf('1', firstCommunity, 9)).toMatchObject([
      { state: 'fulfilled' },
      { state: 'fulfilled' },
    ]);
    expect(await buy(store, vip, start + 15 * day)).toMatchObject({ purchase: { until: start + 22 * day } });
    expect(await store.roles.isGranted(role, start + 22 * day - 1)).toBe(true);
    expect(await store.roles.isGranted(role, start + 22 * day)).toBe(false);
    expect(await kindsOf(store)).toEqual(Array(3).fill(`role roles 1 ${guildId}`));
  });

  it('of a permanent role are sold once, and then neither for some days', async () => {
    const { store } = await open();
    const permanent = { ...vip, forMs: null };
    expect(await buy(store, permanent)).toMatchObject({ purchase: { until: null } });
    expect(await buy(store, permanent)).toMatchObject({ rejection: 'already_owned' });
    expect(await buy(store, vip)).toMatchObject({ rejection: 'already_owned' });
    expect(await store.roles.isGranted(role, start + 10_000 * day)).toBe(true);
  });

  it('of a role that Discord rejects are refunded once, and the buyer and the owner are told', async () => {
    const { url, store } = await open();
    const limited = { ...vip, stock: 1 };
    await buy(store, limited);
    expect(await buy(store, limited)).toMatchObject({ rejection: 'sold_out' });
    await store.roles.settleRole(role, 'failed', start + 1);
    await store.roles.settleRole(role, 'failed', start + 2);
    expect(await creditsOf(store)).toBe(100);
    expect(await store.records.entries(accountOf('1'), 1)).toMatchObject([
      { cause: 'refund', credits: 30, reason: 'VIP', at: start + 1 },
    ]);
    expect(await store.roles.isGranted(role, start + 1)).toBe(false);
    expect(await kindsOf(store)).toEqual([
      `role roles 1 ${guildId}`,
      `directMessage ${directMessageQueue('1')}`,
      `ownerReport ${channelQueue(ownerChannelId)}`,
    ]);
    expect(await store.shop.purchasesOf('1', firstCommunity, 9)).toMatchObject([{ state: 'refunded' }]);
    expect(await buy(store, limited)).toMatchObject({ outcome: 'purchased' });
    expect(await isConsistent(url)).toBe(true);
  });

  it('of a role are not refunded if the member has left, or had the role before it failed', async () => {
    const { store } = await open();
    await buy(store, vip);
    await store.roles.settleRole(role, 'parked', start);
    expect(await creditsOf(store)).toBe(70);
    await store.roles.settleRole(role, 'applied', start + 1);
    await store.roles.settleRole(role, 'failed', start + 2);
    expect(await creditsOf(store)).toBe(70);
    // Only the second purchase was not fulfilled.
    await buy(store, vip, start + 3);
    await store.roles.settleRole(role, 'failed', start + 4);
    expect(await creditsOf(store)).toBe(70);
    expect(await store.roles.isGranted(role, start + 7 * day - 1)).toBe(true);
    expect(await store.roles.isGranted(role, start + 7 * day)).toBe(false);
  });

  it('of a role that ended before Discord had it are refunded', async () => {
    const { store } = await open();
    await buy(store, vip);
    await store.roles.settleRole(role, 'removed', start + 8 * day);
    expect(await creditsOf(store)).toBe(100);
  });

  it('are fulfilled or refunded by a manager once, in the channel of the report', async () => {
    const { url, store } = await open();
    for (const item of [shout, shout, vip]) await buy(store, item);
    const settle = (purchaseId: number, state: 'fulfilled' | 'refunded', channelId = ownerChannelId) =>
      store.shop.settle({ purchaseId, state, channelId }, start + 1);
    // A role is fulfilled by Discord alone.
    expect([await settle(1, 'fulfilled', '7'), await settle(9, 'fulfilled')]).toEqual([null, null]);
    expect(await settle(1, 'fulfilled')).toMatchObject({ settled: true, purchase: { state: 'fulfilled' } });
    expect(await settle(1, 'refunded')).toMatchObject({ settled: false, purchase: { state: 'fulfilled' } });
    expect(await settle(2, 'refunded')).toMatchObject({ settled: true, purchase: { state: 'refunded' } });
    expect(await settle(2, 'fulfilled')).toMatchObject({ settled: false, purchase: { state: 'refunded' } });
    expect(await creditsOf(store)).toBe(50);
    expect(
      (await kindsOf(store)).filter((kind) => kind === `directMessage ${directMessageQueue('1', firstCommunity)}`),
    ).toHaveLength(2);
    expect(await isConsistent(url)).toBe(true);
  });
});

const [listing] = serverAndBot();
const firstVoteAt = Date.now() - 48 * hour;
const seed = Number(process.env['TALLYHOOK_RACE_SEED'] ?? Date.now() % 1_000_000);

/* Two processes sell at the same moment what must be sold once, while votes are recorded. */
describeOnEveryDatabase(`two shops (seed ${seed})`, (newUrl) => {
  async function openTwo() {
    const url = newUrl();
    const stores = [await openStore(url, systemClock), await openStore(url, systemClock)] as const;
    onTestFinished(() => Promise.all(stores.map((store) => store.close())).then(() => {}));
    return { url, stores };
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
      const pressed = await Promise.all([...stores, ...stores].map((store) => store.shop.purchase(once, firstVoteAt)));
      expect(pressed.filter((result) => result.outcome === 'purchased' && !result.repeated)).toHaveLength(1);
      expect(new Set(pressed.map((result) => result.outcome === 'purchased' && result.purchase.id)).size).toBe(1);
      // 10 credits are left, for one of two things.
      const cheap = { ...shout, price: 10 };
      const last = await Promise.all(
        stores.map((store) => store.shop.purchase(orderOf(cheap, { userId: a }), firstVoteAt)),
      );
      expect(sold(last)).toHaveLength(1);
      const rare = itemOf({ id: `rare${round}`, manual: true, stock: 1, price: 0 });
      const raced = await Promise.all(
        stores.map((store, index) => store.shop.purchase(orderOf(rare, { userId: [a, b][index] ?? '' }), firstVoteAt)),
      );
      expect(sold(raced)).toHaveLength(1);
      const limited = itemOf({ id: `limited${round}`, manual: true, limit: 1, price: 0 });
      const confirmed = await Promise.all(
        [...stores, ...stores].map((store) => store.shop.purchase(orderOf(limited, { userId: a }), firstVoteAt)),
      );
      expect(sold(confirmed)).toHaveLength(1);
    }
    expect(await isConsistent(url)).toBe(true);
  });

  it('settle a purchase once', async () => {
    const { url, stores } = await openTwo();
    const role = { guildId, userId: '1', role: vipRole };
    await deposit(stores[0], '1', 50);
    for (let round = 0; round < 3; round += 1) {
      await stores[0].shop.purchase(orderOf(vip), firstVoteAt);
      await Promise.all(stores.map((store) => store.roles.settleRole(role, 'failed', firstVoteAt)));
      const manual = await stores[1].shop.purchase(orderOf(shout), firstVoteAt);
      const purchaseId = manual.outcome === 'purchased' ? manual.purchase.id : 0;
      const refund = { purchaseId, state: 'refunded', channelId: ownerChannelId } as const;
      const settled = await Promise.all(stores.map((store) => store.shop.settle(refund, firstVoteAt)));
      expect(settled.filter((result) => result?.settled)).toHaveLength(1);
      expect((await stores[0].ledgerIn(firstCommunity).account('1')).credits).toBe(50);
    }
    expect(await isConsistent(url)).toBe(true);
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
    let voteAt = firstVoteAt;

    async function act(): Promise<void> {
      const store = pick(stores);
      const roll = random();
      const userId = pick(users);
      if (roll < 0.6) await store.shop.purchase(pick(orders), firstVoteAt);
      else if (roll < 0.75) {
        voteAt += 13 * hour;
        await recordVote(store, listing, userId, voteAt);
      } else if (roll < 0.9) {
        const result = pick(['applied', 'failed', 'parked'] as const);
        await store.roles.settleRole({ guildId, userId, role: vipRole }, result, firstVoteAt);
      } else {
        const purchaseId = Math.ceil(random() * 40);
        const state = pick(['fulfilled', 'refunded'] as const);
        await store.shop.settle({ purchaseId, state, channelId: ownerChannelId }, firstVoteAt);
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
      const again = await Promise.all(
        stores.map((store) => store.shop.purchase({ ...order, item: null }, firstVoteAt)),
      );
      expect(again[0]).toEqual(again[1]);
    }
    expect(
      (await Promise.all(users.map((user) => stores[0].shop.purchasesOf(user, firstCommunity, 1_000)))).flat(),
    ).toEqual(purchases);
    expect(await isConsistent(url)).toBe(true);
  });
});
