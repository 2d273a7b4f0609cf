import { systemClock } from '@tallyhook/platform/clock';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { postgres } from '../../../../src/core/store/dialect/postgres.ts';
import { openStore, type Store } from '../../../../src/features/store.ts';
import { firstCommunity } from '../../../support/communities.ts';
import { delivery, recordWhileConnectionsFail, start, vote } from './failing-connections.ts';

describeOnPostgres('recording on PostgreSQL', (server) => {
  async function open(url: string): Promise<Store> {
    const store = await openStore(url, systemClock);
    onTestFinished(() => store.close());
    return store;
  }

  it('does not wait for the locks of a process that has disappeared during a transaction', async () => {
    const url = server().newFilled('store');
    const store = await open(url);
    const dialect = postgres(url);
    const lost = dialect.openWriting();
    onTestFinished(async () => {
      await lost.rollback();
      await dialect.close();
    });
    await lost.begin();
    await lost.record([{ name: 'record', args: [delivery, vote('1')] }], [], '');
    const recorded = vi.waitFor(() => store.recorder.record(delivery, vote('1')), { timeout: 30_000 });
    expect(await recorded).toMatchObject({ outcome: 'recorded', credits: 10 });
  });

  it('does not wait for slow reads', async () => {
    const url = server().newFilled('store');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE probes IN ACCESS EXCLUSIVE MODE');
    const dialect = postgres(url);
    onTestFinished(() => dialect.close());
    let isLocked = true;
    const reads = Array.from({ length: 8 }, async () => {
      while (isLocked)
        await dialect.reading.run({ sql: 'SELECT count(*) FROM probes', parameters: [] }).catch(() => {});
    });
    const writing = dialect.openWriting();
    // Each read waits for 10 s.
    await vi.waitFor(() => writing.begin(), { timeout: 8_000 });
    expect(await writing.run({ sql: 'SELECT 1 AS one', parameters: [] })).toEqual([{ one: 1 }]);
    await writing.commit();
    isLocked = false;
    await other.end();
    await Promise.all(reads);
  });

  it('rejects only the delivery whose user id cannot be stored', async () => {
    const store = await open(server().newFilled('store'));
    const settled = await Promise.allSettled([
      store.recorder.record(delivery, vote('\ud800')),
      store.recorder.record(delivery, vote('2')),
    ]);
    expect(settled).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }]);
    expect(await store.records.counts()).toMatchObject({ users: 1, credits: 10 });
  });

  it('keeps a balance without entries that was imported by hand', async () => {
    const url = server().newFilled('store');
    const store = await open(url);
    server().runSql("INSERT INTO balances (account_id, credits, votes) VALUES ('1:3', 50, 4)", url);
    const correction = { communityId: firstCommunity, userId: '3', credits: -60, reason: 'too much', at: start };
    expect(await store.recorder.correct(correction, 'key')).toEqual({ outcome: 'overdrawn', balance: 50 });
    expect(await store.ledgerIn(firstCommunity).account('3')).toEqual({ userId: '3', credits: 50, votes: 4 });
  });

  it('leaves no balance of a user without entries', async () => {
    const store = await open(server().newFilled('store'));
    const correction = { communityId: firstCommunity, userId: '4', credits: -1, reason: 'too much', at: start };
    expect(await store.recorder.correct(correction, 'key')).toEqual({ outcome: 'overdrawn', balance: 0 });
    expect(await store.records.counts()).toMatchObject({ users: 0 });
  });

  it('records each vote and each correction once if its sender retries while connections fail', async () => {
    await recordWhileConnectionsFail(server().newFilled('store'), 5);
  });
});
