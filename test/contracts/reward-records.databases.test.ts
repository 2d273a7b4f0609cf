import { DatabaseSync } from 'node:sqlite';
import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import { accountOf } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { newSqliteFile } from '../support/new-sqlite.ts';
import { deposit, itemOf, keys, openShop, orderOf, ownerChannelId, shout, start, vip } from '../support/shop-store.ts';

const none = { newest: [], waiting: 0 };

function rewardRecordTests(newUrl: () => string): void {
  const remind = (store: Store, userId: string, nextVotes: Readonly<Record<string, number | null>>) =>
    store.reminders.switchOn(
      accountOf(userId),
      Object.entries(nextVotes).map(([name, nextVoteAt]) => ({ name, cooldownMs: 12 * hour, nextVoteAt })),
      start,
    );

  it('show the newest purchases, whatever the order of their ids, and never a code', async () => {
    const store = await openShop(newUrl());
    expect(await store.shop.summary()).toEqual(none);
    await deposit(store, '1', 1000);
    await deposit(store, '2', 1000);
    await store.shop.purchase(orderOf(keys, { userId: '2' }), start + hour);
    await store.shop.purchase(orderOf(vip), start + hour);
    for (let minutes = 12; minutes > 0; minutes -= 1)
      await store.shop.purchase(orderOf({ ...shout, name: `Shout ${minutes}` }), start + minutes * minute);
    const { newest, waiting } = await store.shop.summary();
    expect(waiting).toBe(12);
    expect(newest.map(({ name }) => name)).toEqual([
      'VIP',
      'Game key',
      ...Array.from({ length: 8 }, (_, index) => `Shout ${12 - index}`),
    ]);
    const bought = { id: expect.any(Number), at: start + hour };
    expect(newest.slice(0, 2)).toEqual([
      { ...bought, userId: '1', name: 'VIP', price: 30, state: 'confirmed', role: vip.role },
      { ...bought, userId: '2', name: 'Game key', price: 10, state: 'fulfilled', role: null },
    ]);
  });

  it('count the purchases that wait for the owner until they are settled', async () => {
    const store = await openShop(newUrl());
    await deposit(store, '1', 1000);
    const manual = itemOf({ manual: true });
    const waiting = async () => (await store.shop.summary()).waiting;
    for (const item of [manual, vip, keys, manual]) await store.shop.purchase(orderOf(item), start);
    expect(await waiting()).toBe(2);
    const [first, second] = (await store.shop.summary()).newest.filter(({ name }) => name === manual.name);
    if (first === undefined || second === undefined) throw new Error('no purchases');
    await store.shop.settle({ purchaseId: first.id, state: 'fulfilled', channelId: ownerChannelId }, start);
    expect(await waiting()).toBe(1);
    await store.shop.settle({ purchaseId: second.id, state: 'refunded', channelId: ownerChannelId }, start);
    expect(await waiting()).toBe(0);
  });

  it('count members with reminders once, those that are due soon, and those that were switched off', async () => {
    const store = await openShop(newUrl());
    expect(await store.reminders.summary(start)).toEqual({ scheduled: 0, dueSoon: 0, stopped: 0 });
    await remind(store, '1', { server: start + hour, bot: start + 2 * hour });
    await remind(store, '2', { server: start + hour + 1 });
    await remind(store, '3', { server: start + minute });
    await remind(store, '4', { server: null });
    await store.reminders.stop('3', 'direct_messages_closed', start);
    expect(await store.reminders.summary(start)).toEqual({ scheduled: 2, dueSoon: 1, stopped: 1 });
    expect(await store.reminders.summary(start + 5 * hour)).toMatchObject({ scheduled: 2, dueSoon: 3 });
    await store.reminders.switchOff(accountOf('2'));
    await remind(store, '3', { server: null });
    expect(await store.reminders.summary(start)).toEqual({ scheduled: 1, dueSoon: 1, stopped: 0 });
  });
}

describe('reward records', () => describeOnEveryDatabase('reward records', rewardRecordTests));

it.each([10_000, 20_001])('reward records count %i members with two reminders each', async (members) => {
  const path = newSqliteFile();
  const store = await openShop(`sqlite:${path}`);
  const database = new DatabaseSync(path);
  database
    .prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${members})
       insert into planned_effects (key, user_id, kind, queue, content, due_at, planned_at)
       select '1 reminder ' || n || ' ' || listing, n, 'directMessage', 'dm 1 ' || n, '{}', ${start}, ${start} from numbers, (select 'server' as listing union all select 'bot')`,
    )
    .run();
  database.close();
  expect(await store.reminders.summary(start)).toEqual({ scheduled: members, dueSoon: 2 * members, stopped: 0 });
});
