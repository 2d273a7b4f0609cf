import { runSql } from '@tallyhook/platform/testing/run-sql';
import { expect, it, onTestFinished } from 'vitest';
import {
  balanceDifferences,
  brokenLinks,
  type EntrySelection,
  entryPages,
  orphanedRows,
  paymentDifferences,
} from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { backlogOf, contentsOf, lastDeliveries } from '../../src/core/store/snapshots/statistics.ts';
import { accountOf } from '../support/communities.ts';
import { createDatabaseWithVotes, voteTime } from '../support/database-with-votes.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { openLedger } from '../support/voting.ts';

const allEntries: EntrySelection = { userId: null, since: null };

describeOnEveryDatabase('a snapshot', (newUrl) => {
  async function snapshotOf(url: string) {
    const snapshot = await openSnapshot(url);
    onTestFinished(() => snapshot.close());
    return snapshot;
  }

  async function tampered(...statements: string[]) {
    const url = newUrl();
    await createDatabaseWithVotes(url, ['1', '2', '3']);
    for (const statement of statements) await runSql(url, statement);
    return snapshotOf(url);
  }

  async function entriesOf(url: string, selection: Partial<EntrySelection> = {}) {
    const snapshot = await openSnapshot(url);
    const entries = [];
    for await (const page of entryPages(snapshot, { ...allEntries, ...selection })) entries.push(...page);
    await snapshot.close();
    return entries;
  }

  it('finds no differences after votes', async () => {
    const snapshot = await tampered();
    expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await paymentDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await orphanedRows(snapshot)).toEqual({ entries: 0, effects: 0, names: 0 });
    expect(await brokenLinks(snapshot)).toBe(0);
    expect(await snapshot.integrityErrors('whole')).toEqual([]);
  });

  it('finds a balance that was changed manually', async () => {
    const snapshot = await tampered("UPDATE balances SET credits = 11 WHERE account_id = '1:2'");
    expect(await balanceDifferences(snapshot)).toEqual({
      count: 1,
      first: [{ accountId: accountOf('2'), balance: { credits: 11, votes: 1 }, entries: { credits: 10, votes: 1 } }],
    });
  });

  it('finds a wrong number of votes, a missing balance, and a balance without entries', async () => {
    const snapshot = await tampered(
      "UPDATE balances SET votes = 2 WHERE account_id = '1:1'",
      "DELETE FROM balances WHERE account_id = '1:2'",
      "INSERT INTO balances (account_id, credits, votes) VALUES ('1:9', 5, 0)",
    );
    const { count, first } = await balanceDifferences(snapshot);
    expect(count).toBe(3);
    expect(first.map(({ accountId }) => accountId)).toEqual(['1', '2', '9'].map(accountOf));
    expect(first[1]).toMatchObject({ balance: { credits: 0, votes: 0 }, entries: { credits: 10, votes: 1 } });
  });

  it('finds a paid delivery without an entry, and an entry without its delivery', async () => {
    const snapshot = await tampered(
      "DELETE FROM entries WHERE account_id = '1:1'",
      "DELETE FROM deliveries WHERE user_id = '3'",
    );
    expect(await paymentDifferences(snapshot)).toEqual({
      count: 2,
      first: [
        { deliveryId: 1, paid: 10, entered: 0 },
        { deliveryId: 3, paid: 0, entered: 10 },
      ],
    });
    expect(await orphanedRows(snapshot)).toEqual({ entries: 1, effects: 1, names: 0 });
  });

  it('finds links that skip an entry', async () => {
    const url = newUrl();
    for (const days of [0, 1, 2]) await createDatabaseWithVotes(url, ['1', '2'], { at: voteTime + days * 86_400_000 });
    expect(await brokenLinks(await snapshotOf(url))).toBe(0);
    const [first, , , secondOfOther, last] = (await entriesOf(url)).map(({ id }) => id);
    await runSql(url, `UPDATE entries SET previous = ${first} WHERE id = ${last}`);
    await runSql(url, `UPDATE balances SET last_entry = ${secondOfOther} WHERE account_id = '1:2'`);
    expect(await brokenLinks(await snapshotOf(url))).toBe(2);

    await runSql(url, `UPDATE entries SET previous = ${last} WHERE id = ${first}`);
    const store = await openLedger(url, voteTime);
    expect((await store.records.entries(accountOf('1'), 9)).map(({ id }) => id)).toEqual([last, first]);
  });

  it('reads the contents, the backlog and the last deliveries', async () => {
    const snapshot = await tampered(
      "UPDATE effects SET state = 'buried', reason = 'no such channel' WHERE delivery_id = 2",
      "UPDATE deliveries SET outcome = 'quarantined' WHERE id = 3",
      `UPDATE deliveries SET received_at = ${voteTime + 5} WHERE id = 3`,
    );
    expect(await contentsOf(snapshot)).toEqual({ entries: 3, users: 3, lastDeliveryAt: voteTime + 5 });
    expect([...(await lastDeliveries(snapshot))]).toEqual([['server', voteTime + 5]]);
    expect(await backlogOf(snapshot)).toEqual({
      ...{ waiting: 2, waitingSince: voteTime, buried: 1, lastReason: 'no such channel', quarantined: 1 },
    });
  });

  it('is consistent, whatever is written meanwhile', async () => {
    const url = newUrl();
    await createDatabaseWithVotes(url, ['1']);
    const snapshot = await snapshotOf(url);
    const pages = entryPages(snapshot, allEntries);
    await createDatabaseWithVotes(url, ['2']);
    await runSql(url, "UPDATE balances SET credits = 99 WHERE account_id = '1:1'");
    expect(await balanceDifferences(snapshot)).toMatchObject({ count: 0 });
    expect((await pages.next()).value).toHaveLength(1);
    expect(await balanceDifferences(await snapshotOf(url))).toMatchObject({ count: 1 });
  });

  it('is read-only', async () => {
    const snapshot = await tampered();
    await expect(snapshot.run(snapshot.db.deleteFrom('entries').returning('id'))).rejects.toThrow(/read-?only/);
  });

  it('reads more entries than one page', async () => {
    const url = newUrl();
    await createDatabaseWithVotes(url, ['1']);
    await runSql(
      url,
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000)
       INSERT INTO entries (account_id, credits, cause, at) SELECT '1:7', 0, 'correction', ${voteTime} FROM numbers`,
    );
    const ids = (await entriesOf(url)).map(({ id }) => id);
    expect(ids).toHaveLength(4_001);
    expect(new Set(ids).size).toBe(4_001);
  });
});
