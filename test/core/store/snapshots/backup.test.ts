import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { queryValue } from '@tallyhook/platform/testing/query-value';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { backUp, restoreBackup } from '../../../../src/core/store/snapshots/backup.ts';
import { openStore } from '../../../../src/features/store.ts';
import { firstCommunity } from '../../../support/communities.ts';
import { createDatabaseWithVotes, voteTime } from '../../../support/database-with-votes.ts';

const options = { onProgress: () => {}, stop: new AbortController().signal };

async function createDatabase(...statements: string[]) {
  const directory = tempDir();
  const path = join(directory, 'tally.db');
  await createDatabaseWithVotes(`sqlite:${path}`, ['1', '2', '3']);
  const database = new DatabaseSync(path);
  onTestFinished(() => {
    if (database.isOpen) database.close();
  });
  for (const statement of statements) database.exec(statement);
  return { directory, path, database, copy: join(directory, 'copy.db') };
}

/** Overwrites an index with invalid bytes: one that only a check of the whole file reads. */
function corrupt(path: string): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = DELETE');
  const root = Number(queryValue(database, "SELECT rootpage FROM sqlite_master WHERE name = 'effects_of_delivery'"));
  const size = Number(queryValue(database, 'PRAGMA page_size'));
  database.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, (root - 1) * size, root * size);
  writeFileSync(path, bytes);
}

describe('a backup', () => {
  it('is a complete copy in one file that only its owner can read', async () => {
    const { directory, path, copy } = await createDatabase();
    const copied = await backUp(path, copy, options);
    expect(copied).toEqual({ entries: 3, users: 3, lastDeliveryAt: voteTime, balanceDifferences: 0 });
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
    const store = await openStore(`sqlite:${copy}`, systemClock);
    onTestFinished(() => store.close());
    expect(await store.ledgerIn(firstCommunity).account('2')).toEqual({ userId: '2', credits: 10, votes: 1 });
  });

  it('is a consistent snapshot and completes, however much is written meanwhile', async () => {
    const { path, database, copy } = await createDatabase();
    const insert = database.prepare(
      "INSERT INTO entries (account_id, credits, cause, at) VALUES ('1:1', 0, 'correction', 0)",
    );
    database.exec('BEGIN');
    for (let row = 0; row < 400_000; row += 1) insert.run();
    database.exec('COMMIT');
    const copied = await backUp(path, copy, { ...options, onProgress: () => void insert.run() });
    expect(copied.entries).toBe(400_003);
    expect(queryValue(database, 'SELECT count(*) FROM entries')).toBeGreaterThan(400_003);
  });

  it('does not overwrite files, and deletes its partial file when it fails', async () => {
    const { directory, path, copy } = await createDatabase();
    writeFileSync(copy, 'precious');
    await expect(backUp(path, copy, options)).rejects.toMatchObject({ code: 'file_exists' });
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    await expect(backUp(path, join(directory, 'no/such/folder.db'), options)).rejects.toMatchObject({
      code: 'cannot_write',
    });
    await expect(backUp(join(directory, 'nothing.db'), `${copy}2`, options)).rejects.toMatchObject({
      code: 'no_database',
    });
    expect(existsSync(`${copy}2`)).toBe(false);
    writeFileSync(`${copy}3.partial`, '');
    await expect(backUp(path, `${copy}3`, options)).rejects.toMatchObject({ code: 'partial_exists' });
  });

  it('deletes its partial file when it is stopped', async () => {
    const { directory, path, database, copy } = await createDatabase();
    database.exec(
      'CREATE TABLE ballast AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) SELECT zeroblob(4000) FROM n',
    );
    const stopping = new AbortController();
    const stopped = backUp(path, copy, { onProgress: () => stopping.abort(), stop: stopping.signal });
    await expect(stopped).rejects.toMatchObject({ code: 'stopped' });
    expect(readdirSync(directory).filter((name) => name.startsWith('copy'))).toEqual([]);
  });

  it('of a damaged database is deleted', async () => {
    const { directory, path, database, copy } = await createDatabase();
    database.close();
    corrupt(path);
    await expect(backUp(path, copy, options)).rejects.toMatchObject({
      code: 'damaged',
      hint: expect.stringContaining('doctor'),
    });
    expect(readdirSync(directory)).toEqual(['tally.db']);
  });

  it('of a ledger with a wrong balance is created, and reports the difference', async () => {
    const { path, copy } = await createDatabase("UPDATE balances SET credits = 7 WHERE account_id = '1:1'");
    expect(await backUp(path, copy, options)).toMatchObject({ entries: 3, balanceDifferences: 1 });
    expect(existsSync(copy)).toBe(true);
  });
});

describe('a restore', () => {
  it('creates the database of the backup, and does not change the backup', async () => {
    const { directory, path, copy } = await createDatabase();
    await backUp(path, copy, options);
    const before = readFileSync(copy);
    chmodSync(copy, 0o400);
    const to = join(directory, 'new/place/tally.db');
    expect(await restoreBackup(copy, to)).toEqual({
      entries: 3,
      users: 3,
      lastDeliveryAt: voteTime,
      balanceDifferences: 0,
    });
    expect(readFileSync(copy).equals(before)).toBe(true);
    expect(statSync(to).mode & 0o777).toBe(0o600);
    const store = await openStore(`sqlite:${to}`, systemClock);
    onTestFinished(() => store.close());
    expect(await store.records.counts()).toMatchObject({ credits: 30, votes: 3, users: 3, effects: { waiting: 3 } });
  });

  it('includes the write-ahead log of a manual copy', async () => {
    const { directory, path } = await createDatabase("UPDATE balances SET votes = 1 WHERE account_id = '1:1'");
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(await restoreBackup(path, join(directory, 'new.db'))).toMatchObject({ entries: 3 });
  });

  it('makes the copy private while it verifies it, even if the original is world-readable', async () => {
    const { directory, path } = await createDatabase("UPDATE balances SET votes = 1 WHERE account_id = '1:1'");
    for (const name of [path, `${path}-wal`]) chmodSync(name, 0o644);
    const modes = new Map<string, number>();
    let isDone = false;
    async function watch() {
      while (!isDone) {
        for (const name of readdirSync(directory).filter((file) => file.startsWith('new.db'))) {
          const mode = statSync(join(directory, name), { throwIfNoEntry: false })?.mode ?? 0;
          modes.set(name, (modes.get(name) ?? 0) | (mode & 0o777));
        }
        await setImmediate();
      }
    }
    const watching = watch();
    await restoreBackup(path, join(directory, 'new.db'));
    isDone = true;
    await watching;
    expect(new Set(modes.values())).toEqual(new Set([0o600]));
    expect([...modes.keys()]).toContain('new.db.partial');
  });

  it('does not overwrite a database, whether it is open or not', async () => {
    const { directory, path, database, copy } = await createDatabase(
      "UPDATE balances SET votes = 1 WHERE account_id = '1:1'",
    );
    await backUp(path, copy, options);
    await expect(restoreBackup(copy, path)).rejects.toMatchObject({
      code: 'in_use',
      hint: expect.stringContaining('Stop'),
    });
    database.close();
    await expect(restoreBackup(copy, path)).rejects.toMatchObject({ code: 'database_exists' });
    const moved = join(directory, 'moved.db');
    writeFileSync(`${moved}-wal`, '');
    await expect(restoreBackup(copy, moved)).rejects.toMatchObject({ code: 'in_use' });
    expect(existsSync(moved)).toBe(false);
  });

  it('rejects a file that is not a backup', async () => {
    const { directory, path, database, copy } = await createDatabase();
    const to = join(directory, 'new.db');
    const text = join(directory, 'text.db');
    writeFileSync(text, 'This is not a database, however long it is. '.repeat(100));
    await expect(restoreBackup(text, to)).rejects.toMatchObject({
      code: 'damaged',
      message: expect.stringContaining('text.db'),
    });
    await expect(restoreBackup(join(directory, 'nothing.db'), to)).rejects.toMatchObject({ code: 'no_database' });
    const foreign = new DatabaseSync(join(directory, 'foreign.db'));
    foreign.exec('CREATE TABLE songs (title TEXT)');
    foreign.close();
    await expect(restoreBackup(join(directory, 'foreign.db'), to)).rejects.toMatchObject({ code: 'not_ours' });
    await backUp(path, copy, options);
    await expect(restoreBackup(copy, join(text, 'new.db'))).rejects.toMatchObject({ code: 'cannot_write' });
    corrupt(copy);
    await expect(restoreBackup(copy, to)).rejects.toMatchObject({ code: 'damaged' });
    database.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('999', '2030')");
    await expect(restoreBackup(path, to)).rejects.toMatchObject({ code: 'database_too_new' });
    expect(existsSync(to)).toBe(false);
    expect(existsSync(`${to}.partial`)).toBe(false);
  });
});
