import { memoizeOne } from '@tallyhook/platform/memoize';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../src/service.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { type Claim, DeliveryQueue } from '../src/storage/deliveries/claim-deliveries.ts';
import { insertDelivery } from '../src/storage/deliveries/deliveries.ts';
import { pauseWebhook, upsertWebhook } from '../src/storage/deliveries/webhooks.ts';
import { insertListing } from '../src/storage/listings/listings.ts';
import { receiver, running, serverId } from '../testing/running.ts';
import { transact } from './transact.ts';

const listingIds = ['1', '2', '3'] as const;

async function queueOf(deliveries: readonly (readonly [id: string, listingId: string, at: number])[]) {
  const database = await openDatabase(`sqlite:${tempDir()}/service.db`);
  for (const id of listingIds) {
    const facts = { servers: 1, shards: 1 };
    const listing = {
      id,
      name: id,
      description: '',
      tags: [],
      ownerId: '9',
      createdAt: 0,
      kind: 'bot',
      facts,
    } as const;
    await insertListing(database, listing);
    for (const family of ['vote', 'premium'] as const)
      await upsertWebhook(database, { listingId: id, family, url: 'http://127.0.0.1:65533/', secret: 'a-secret' });
  }
  for (const [id, listingId, createdAt] of deliveries) {
    const family = id.startsWith('p') ? 'premium' : 'vote';
    await insertDelivery(database, { id, listingId, family, event: 'bot_vote', test: false, body: '{}', createdAt });
  }
  return database;
}

/** Its clock does not move, so that it may search the webhooks at every claim. */
const deliveryQueue = memoizeOne((database: Database) => new DeliveryQueue(database, { monotonic: () => 0 }));

const usual = { now: 50, leaseUntil: 80, limit: 16, maxPerWebhook: 1, capacities: {} } satisfies Claim;

async function claimed(database: Database, changes: Partial<Claim> = {}) {
  const { deliveries } = await deliveryQueue(database).claim({ ...usual, ...changes });
  return deliveries.map(({ id }) => id).toSorted();
}

async function nextDeliveryDueAt(database: Database, now: number) {
  return (await deliveryQueue(database).claim({ ...usual, now, limit: 0 })).dueAt;
}

test('one delivery of each webhook is claimed, the oldest, unless its webhook is paused or has enough', async () => {
  const database = await queueOf([
    ...([
      ['a1', '1', 12],
      ['a0', '1', 10],
      ['p0', '1', 30],
      ['b0', '2', 20],
      ['b1', '2', 21],
    ] as const),
    ...([
      ['c0', '3', 5],
      ['late', '3', 90],
    ] as const),
  ]);
  expect(await claimed(database, { limit: 2 })).toEqual(['a0', 'c0']);
  expect(await claimed(database, { capacities: { '1 vote': 0 } })).toEqual(['b0', 'p0']);
  await pauseWebhook(database, { listingId: '2', family: 'vote' } as never, 'no', 50);
  expect(await claimed(database)).toEqual(['a1']);
  expect(await claimed(database)).toEqual([]);
  expect(await nextDeliveryDueAt(database, 50)).toBe(80);
  expect(await nextDeliveryDueAt(database, 80)).toBe(90);
  // The leases have ended.
  expect(await claimed(database, { now: 80, leaseUntil: 120 })).toEqual(['a0', 'c0', 'p0']);
  expect(await nextDeliveryDueAt(database, 130)).toBeNull();
  await database.destroy();
});

test('deliveries are sent while members keep voting', async () => {
  const { service } = await running();
  const { url, received } = await receiver();
  await service.setWebhook(serverId, { voteUrl: url });
  let votes = 0;
  const voting = Array.from({ length: 8 }, async () => {
    while (received.length <= 5) {
      votes += 1;
      await service.castVote({ listingId: serverId, userId: String(7_000_000 + votes), username: 'v' });
    }
  });
  await Promise.all(voting);
  await eventually(() => expect(received.length).toBe(votes));
});

/** The CPU time of this thread that 40 polls took (microseconds); at least 20 ms, because the clock has ticks. */
async function costOf(poll: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  for (let polls = 0; polls < 40; polls += 1) await poll();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(20_000, user + system);
}

/** A poll that reads ten times the rows takes about ten times as long; one that does not takes as long as before. */
const maxGrowth = 4;

test('neither stored nor waiting deliveries make a poll slower', async () => {
  const database = await queueOf([['a0', '1', 10]]);
  const insert = (first: number, last: number) =>
    transact(database, (execute) =>
      execute(
        `with recursive numbers (n) as (select ${first} union all select n + 1 from numbers where n < ${last})
        insert into deliveries select 'x' || n, '2', 'vote', 'bot_vote', 0, '{}', n,
          case when n % 2 then 'waiting' else 'delivered' end, 0, 1, null, null from numbers`,
        [],
      ),
    );
  const capacities = { '2 vote': 0 };
  const poll = async () => {
    await claimed(database, { capacities });
    await nextDeliveryDueAt(database, 50);
  };
  expect(await claimed(database, { capacities })).toEqual(['a0']);
  await insert(1, 4_000);
  const before = await costOf(poll);
  await insert(4_001, 40_000);
  expect(await costOf(poll)).toBeLessThan(maxGrowth * before);
  await database.destroy();
});

test('webhooks that wait for a retry do not make a poll slower', async () => {
  const database = await queueOf([['a0', '1', 10]]);
  const insert = (first: number, last: number) => {
    const numbers = `with recursive numbers (n) as (select ${first} union all select n + 1 from numbers where n < ${last})`;
    return transact(database, (execute) => {
      execute(
        `insert into listings (id, kind, name, description, tags_json, facts_json, owner_id, created_at, updated_at)
        ${numbers} select n, 'bot', n, '', '[]', '{}', '9', 0, 0 from numbers`,
        [],
      );
      execute(
        `insert into deliveries ${numbers}
        select 'x' || n, n, 'vote', 'bot_vote', 0, '{}', 1, 'waiting', 3, 90, null, null from numbers`,
        [],
      );
    });
  };
  expect(await claimed(database)).toEqual(['a0']);
  const poll = async () => expect(await claimed(database)).toEqual([]);
  await insert(1_000, 1_799);
  const before = await costOf(poll);
  await insert(1_800, 9_000);
  expect(await costOf(poll)).toBeLessThan(maxGrowth * before);
  await database.destroy();
});

test('a retry is sent when it is due, also if the timer ends a millisecond early', async () => {
  const { url, received } = await receiver((_delivery, count) => (count < 40 ? 500 : 200));
  const service = await startService({ allowLoopbackTargets: true, seed: true, retry: () => 5 });
  onTestFinished(() => service.stop());
  await service.setWebhook(serverId, { voteUrl: url });
  await service.castVote({ listingId: serverId, userId: '7000000', username: 'v' });
  await eventually(() => expect(received.length).toBe(40));
});
