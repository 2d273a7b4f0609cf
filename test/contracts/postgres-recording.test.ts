import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Vote } from '../../src/ledger/event.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { StoreUnavailableError } from '../../src/platform/errors.ts';
import { postgres } from '../../src/store/dialect/postgres.ts';
import { balanceDifferences, brokenLinks } from '../../src/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/store/snapshots/open-snapshot.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import type { RoutedDelivery } from '../../src/tally/tally.ts';
import { serverAndBot } from '../support/listings.ts';
import { describeOnPgBouncer, describeOnPostgres } from './databases.ts';

const [listing] = serverAndBot();
if (listing === undefined) throw new Error('no listing');
const start = Date.UTC(2026, 0, 1);
const delivery = { receivedAt: start, family: 'vote', body: '{}' } as const;

function vote(userId: string): RoutedDelivery & { type: 'event' } {
  if (listing === undefined) throw new Error('no listing');
  const target = { kind: 'server', id: null } as const;
  const event: Vote = {
    ...{ family: 'vote', kind: 'server_vote', target, userId },
    ...{ at: start, creditsAwarded: null, denial: null },
  };
  return { type: 'event', event, listing };
}

describeOnPostgres('recording on PostgreSQL', (server) => {
  async function open(url: string): Promise<Store> {
    const store = await openStore(url, systemClock);
    onTestFinished(() => store.close());
    return store;
  }

  it('does not wait for the locks of a process that has disappeared during a transaction', async () => {
    const url = server().newDatabase();
    const store = await open(url);
    const dialect = postgres(url);
    const lost = dialect.openWriting();
    onTestFinished(async () => {
      await lost.rollback();
      await dialect.close();
    });
    await lost.begin();
    await lost.record([{ name: 'record', args: [delivery, vote('1')] }]);
    expect(await store.recorder.record(delivery, vote('1'))).toMatchObject({ outcome: 'recorded', credits: 10 });
  });

  it('does not wait for slow reads', async () => {
    const dialect = postgres(server().newDatabase());
    onTestFinished(() => dialect.close());
    const reads = Array.from({ length: 8 }, () => dialect.reading.run({ sql: 'SELECT pg_sleep(2)', parameters: [] }));
    const settled = Promise.allSettled(reads);
    const writing = dialect.openWriting();
    await writing.begin();
    expect(await writing.run({ sql: 'SELECT 1 AS one', parameters: [] })).toEqual([{ one: 1 }]);
    await writing.commit();
    await settled;
  });

  it('rejects only the delivery whose user id cannot be stored', async () => {
    const store = await open(server().newDatabase());
    const settled = await Promise.allSettled([
      store.recorder.record(delivery, vote('\ud800')),
      store.recorder.record(delivery, vote('2')),
    ]);
    expect(settled).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled' }]);
    expect(await store.records.counts()).toMatchObject({ users: 1, credits: 10 });
  });

  it('keeps a balance without entries that was imported by hand', async () => {
    const url = server().newDatabase();
    const store = await open(url);
    server().runSql("INSERT INTO balances (user_id, credits, votes) VALUES ('3', 50, 4)", url);
    const correction = { accounts: '', userId: '3', credits: -60, reason: 'too much', at: start };
    expect(await store.ownerActions.correct(correction, 'key')).toEqual({ outcome: 'overdrawn', balance: 50 });
    expect(await store.ledger.account('3')).toEqual({ userId: '3', credits: 50, votes: 4 });
  });

  it('leaves no balance of a user without entries', async () => {
    const store = await open(server().newDatabase());
    const correction = { accounts: '', userId: '4', credits: -1, reason: 'too much', at: start };
    expect(await store.ownerActions.correct(correction, 'key')).toEqual({ outcome: 'overdrawn', balance: 0 });
    expect(await store.records.counts()).toMatchObject({ users: 0 });
  });
});

describeOnPostgres('recording while connections fail', (server) =>
  recordWhileConnectionsFail(() => server().newDatabase()),
);
describeOnPgBouncer('recording through PgBouncer while connections fail', recordWhileConnectionsFail);

function recordWhileConnectionsFail(newUrl: () => string): void {
  it('records each vote and each correction once if its sender retries', { timeout: 60_000 }, async () => {
    const url = newUrl();
    const stores = [await openStore(url, systemClock), await openStore(url, systemClock)];
    onTestFinished(() => Promise.all(stores.map((store) => store.close())).then(() => {}));
    const failures = await breakTransactions(url);

    async function untilAccepted<Result>(send: () => Promise<Result>): Promise<Result> {
      for (;;) {
        try {
          return await send();
        } catch (error) {
          expect(error).toBeInstanceOf(StoreUnavailableError);
          await systemClock.sleep(20);
        }
      }
    }

    let rounds = 0;
    for (; rounds < 10 || failures.count < 30; rounds += 1) {
      const userIds = Array.from({ length: 40 }, (_, index) => String(1_000 * rounds + index));
      await Promise.all(
        stores.flatMap(({ recorder, ownerActions }) =>
          userIds.flatMap((userId) => [
            untilAccepted(() => recorder.record(delivery, vote(userId))),
            untilAccepted(() =>
              ownerActions.correct({ accounts: '', userId, credits: 1, reason: 'lost', at: start }, userId),
            ),
          ]),
        ),
      );
    }
    await failures.stop();

    const votes = rounds * 40;
    const counts = await stores[0]?.records.counts();
    expect(counts).toMatchObject({ votes, users: votes, credits: votes * 11, deliveries: { recorded: votes } });
    const snapshot = await openSnapshot(url);
    expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await brokenLinks(snapshot)).toBe(0);
    await snapshot.close();
  });
}

/** Cancels a statement or terminates a connection again and again, each time another one. */
async function breakTransactions(url: string): Promise<{ readonly count: number; stop(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let count = 0;
  let isStopped = false;
  async function run(): Promise<void> {
    for (let attempt = 0; !isStopped; attempt += 1) {
      await systemClock.sleep(3);
      const { rows } = await client.query<{ done: boolean }>(`
        SELECT ${attempt % 2 === 0 ? 'pg_terminate_backend' : 'pg_cancel_backend'}(pid) AS done FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' LIMIT 1`);
      count += rows.filter(({ done }) => done).length;
    }
    await client.end();
  }
  const running = run();
  return {
    get count() {
      return count;
    },
    stop() {
      isStopped = true;
      return running;
    },
  };
}
