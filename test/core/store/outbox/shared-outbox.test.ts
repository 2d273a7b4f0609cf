import { hour, minute } from '@tallyhook/platform/durations';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Outbox } from '../../../../src/core/outbox/outbox.ts';
import { QueueRotation } from '../../../../src/core/outbox/queue-rotation.ts';
import { createDiscovery } from '../../../../src/core/outbox/worker.ts';
import { openStore, type Store } from '../../../../src/features/store.ts';
import { serverAndBot } from '../../../support/listings.ts';
import { channelQueue } from '../../../support/queues.ts';

const start = Date.UTC(2026, 0, 1);
const pollMs = 200;
const [listing] = serverAndBot();
const channel = listing.announceChannelId ?? '';
const otherChannel = '500000000000000009';

async function open(url: string): Promise<Store> {
  const store = await openStore(url, storeClock(manualClock(start)));
  onTestFinished(() => store.close());
  return store;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function enqueue(store: Store, count: number, channelId = channel): Promise<unknown> {
  const test = { kind: 'server_vote', userId: '1' } as const;
  const routed = { type: 'test', test, listing: { ...listing, announceChannelId: channelId } } as Parameters<
    Store['recorder']['record']
  >[1];
  return Promise.all(
    Array.from({ length: count }, () =>
      store.recorder.record({ receivedAt: start, family: 'vote', body: '{}' }, routed),
    ),
  );
}

const idsOf = (effects: Awaited<ReturnType<Outbox['claim']>>) => effects.map(({ id }) => id);

describeOnPostgres('the outbox of several processes on PostgreSQL', (server) => {
  it('skips new effects that another process is claiming, without waiting', async () => {
    const url = server().newDatabase();
    const store = await open(url);
    await enqueue(store, 5);
    const other = await connect(url);
    await other.query('BEGIN');
    await other.query('SELECT id FROM effects WHERE id <= 3 FOR UPDATE');
    expect(idsOf(await store.outbox.claim(channelQueue(channel), start, start + minute, 10))).toEqual([4, 5]);
    expect(await store.outbox.claim(channelQueue(channel), start, start + minute, 10)).toEqual([]);
    await other.query('COMMIT');
    expect(idsOf(await store.outbox.claim(channelQueue(channel), start, start + minute, 10))).toEqual([1, 2, 3]);
  });

  it('claims an attempted message completely or not at all', async () => {
    const url = server().newDatabase();
    const store = await open(url);
    await enqueue(store, 3);
    const message = await store.outbox.claim(channelQueue(channel), start, start + minute, 10);
    await store.outbox.retry(message, start + minute, 'no answer');
    const other = await connect(url);
    for (const locked of [1, 3]) {
      await other.query('BEGIN');
      await other.query('SELECT id FROM effects WHERE id = $1 FOR UPDATE', [locked]);
      expect(await store.outbox.claim(channelQueue(channel), start + minute, start + hour, 10)).toEqual([]);
      await other.query('COMMIT');
    }
    const again = await store.outbox.claim(channelQueue(channel), start + minute, start + hour, 10);
    expect(again.map(({ id, nonce }) => [id, nonce])).toEqual([1, 2, 3].map((id) => [id, message[0]?.nonce]));
  });

  it('never claims an effect twice nor divides a message, even without the lock of writers', async () => {
    const url = server().newDatabase();
    await open(url);
    const client = await connect(url);
    // Functions of the schema `public` take precedence over the server's own.
    await client.query('CREATE FUNCTION public.pg_advisory_xact_lock(integer) RETURNS void LANGUAGE sql AS $$SELECT$$');
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`);
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    for (const store of stores) await enqueue(store, 25);

    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const at = start + attempt * hour;
      const claims: Awaited<ReturnType<Outbox['claim']>>[] = [];
      const claimAll = async ({ outbox }: Store) => {
        const isDue = async () => ((await outbox.nextDueAt(channelQueue(channel), at)) ?? at + 1) <= at;
        while (await isDue()) claims.push(await outbox.claim(channelQueue(channel), at, at + minute, 10));
      };
      await Promise.all(stores.map(claimAll));
      const ids = claims.flatMap(idsOf);
      expect(ids).toHaveLength(100);
      expect(new Set(ids).size).toBe(100);
      const { rows } = await client.query(
        'SELECT count(DISTINCT nonce)::int AS messages, max(attempts) AS attempts FROM effects',
      );
      const messages = claims.filter((claim) => claim.length > 0).length;
      expect(rows).toEqual([{ messages, attempts: attempt }]);
    }
  });

  it('finds new effects of other processes by a poll, even if they are committed late', async () => {
    const url = server().newDatabase();
    const [store, other] = [await open(url), await open(url)];
    const clock = manualClock(start);
    const rotation = new QueueRotation(clock);
    const discovery = createDiscovery({ outbox: store.outbox, rotation, clock, newEffectsPollMs: pollMs });
    await discovery.run();
    expect(rotation.next()).toBe(undefined);

    const late = await connect(url);
    await late.query('BEGIN');
    const columns = 'delivery_id, kind, queue, content, state, attempts, due_at, created_at';
    const values = `1, 'announcement', '${channelQueue(otherChannel)}', '{}', 'waiting', 0, ${start}, ${start}`;
    await late.query(`INSERT INTO effects (${columns}) VALUES (${values})`);
    await enqueue(other, 1);
    const poll = async () => {
      await clock.advance(pollMs);
      await discovery.run();
      return [rotation.next(), rotation.next()];
    };
    expect(await poll()).toEqual([channelQueue(channel), undefined]);
    await other.outbox.done(await other.outbox.claim(channelQueue(channel), start, start + minute, 10), start);
    expect(await poll()).toEqual([undefined, undefined]);
    await late.query('COMMIT');
    expect(await poll()).toEqual([channelQueue(otherChannel), undefined]);
    expect(discovery.msUntilNext()).toBeLessThanOrEqual(pollMs);
  });
});
