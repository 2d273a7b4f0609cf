import { day, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import type { ShopContext, ShopItem } from '../../../src/features/shop/purchase.ts';
import type { Store } from '../../../src/features/store.ts';
import { accountOf, addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { takeDue } from '../../support/due-effects.ts';
import { channelQueue, directMessageQueue } from '../../support/queues.ts';
import {
  creditsOf,
  deposit,
  expectCleanAudit,
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

const role = { guildId, userId: '1', role: vipRole };

function purchaseTests(newUrl: () => string): void {
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
    await expectCleanAudit(url);
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

    it('with what the shop issued before its guild was configured, or after it no longer was', async () => {
      const { store } = await open();
      expect(await buy(store, keys, start, { guildId: null })).toMatchObject({ purchase: { code: 'AAA-1' } });
      expect(await buy(store, keys)).toMatchObject({ purchase: { code: 'BBB-2' } });
      expect(await buy(store, keys, start, { guildId: null })).toMatchObject({ purchase: { code: 'CCC-3' } });
      expect(await leftIn(store, { guildId, communityId: firstCommunity })).toBe(0);
      const communityId = await addCommunity(store, otherGuild);
      expect(await leftIn(store, { guildId: otherGuild, communityId })).toBe(3);
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
    ).toMatchObject({
      purchase: { code: 'last' },
    });
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

  it('count for the stock also before their guild was configured', async () => {
    const { store } = await open();
    const limited = { ...vip, stock: 1 };
    expect(await buy(store, limited, start, { guildId: null })).toMatchObject({ outcome: 'purchased' });
    expect(await buy(store, limited)).toMatchObject({ rejection: 'sold_out' });
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
    await expectCleanAudit(url);
  });

  it('of a role that has got permissions of a moderator are refunded once, and an earlier one is removed at its end', async () => {
    const { store } = await open();
    await buy(store, vip);
    await store.roles.settleRole(role, 'applied', start);
    await buy(store, vip, start + 1);
    await store.roles.settleRole(role, 'refused', start + 2);
    await store.roles.settleRole(role, 'refused', start + 3);
    expect(await creditsOf(store)).toBe(70);
    expect(await store.roles.isGranted(role, start + 7 * day - 1)).toBe(true);
    expect(await takeDue(store, start + 7 * day)).toHaveLength(1);
    await store.roles.settleRole(role, 'removed', start + 7 * day);
    expect(await store.roles.hasGrant(role)).toBe(false);
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
    await expectCleanAudit(url);
  });

  it('stay readable when the item has left the settings', async () => {
    const { store } = await open();
    await buy(store, keys);
    const [purchase] = await store.shop.purchasesOf('1', firstCommunity, 1);
    expect(purchase).toMatchObject({ item: 'key', name: 'Game key', price: 10, code: 'AAA-1', at: start });
  });
}

describe('purchases', () => describeOnEveryDatabase('purchases', purchaseTests));
