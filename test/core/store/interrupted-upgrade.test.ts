import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { DatabaseTooNewError } from '@tallyhook/platform/database/database-too-new-error';
import type { Migration } from '@tallyhook/platform/database/migrations/migration';
import { logProgress } from '@tallyhook/platform/database/migrations/report-progress';
import { second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate, migrations } from '../../../src/core/store/migrations/index.ts';
import { readDatabaseStatus } from '../../../src/core/store/snapshots/snapshot.ts';
import { openStore } from '../../../src/features/store.ts';
import { dialectAt } from '../../support/dialect-at.ts';
import { createDatabase, nextMigration, nextMigrations, rows } from './upgrades/next-version.ts';

function upgrades(newUrl: () => string): void {
  it('has its progress in the log, and a new database has none', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const log = createLog({ level: 'info', secrets: [], destination });
    await (await openStore(newUrl(), systemClock, { thread: false, log })).close();
    expect(lines).toEqual([]);

    const url = newUrl();
    expect(await readDatabaseStatus(url)).toEqual({ state: 'absent' });
    await createDatabase(url);
    // Each reading of the clock is a second later.
    let now = 0;
    const monotonic = () => {
      now += second;
      return now;
    };
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const onProgress = logProgress(log, { ...systemClock, monotonic });
    await migrate(dialect, systemClock, { all: nextMigrations(dialect), onProgress });
    expect(lines[0]).toMatchObject({ level: 30, msg: 'upgrading the database', migration: nextMigration });
    expect(lines).toContainEqual(expect.objectContaining({ migration: nextMigration, rows, total: rows }));
    expect(lines.at(-1)).toMatchObject({ msg: 'database upgraded', seconds: expect.any(Number) });
  });

  it('is continued by the version that began it, and older versions reject the database meanwhile', async () => {
    const url = newUrl();
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const known = migrations(dialect);
    await migrate(dialect, systemClock);
    let fails = true;
    const begun: Migration = {
      steps: [
        { up: (db) => db.schema.createTable('begun').addColumn('id', 'integer').execute() },
        {
          total: async () => 3,
          async chunk(_db, after) {
            if (after === '2' && fails) throw new Error('interrupted');
            return after === '3' ? null : { cursor: String(Number(after ?? 0) + 1), rows: 1 };
          },
        },
      ],
    };
    const all = { ...known, '999-begun': begun };
    await expect(migrate(dialect, systemClock, { all })).rejects.toThrow('interrupted');
    await expect(migrate(dialect, systemClock)).rejects.toThrow(DatabaseTooNewError);
    expect(await readDatabaseStatus(url)).toEqual({ state: 'newer', unknown: ['999-begun'] });

    fails = false;
    const rows: number[] = [];
    await migrate(dialect, systemClock, { all, onProgress: (progress) => rows.push(progress.rows) });
    expect(rows).toEqual([2, 3, 0, 0]);
    await migrate(dialect, systemClock, { all, onProgress: () => expect.unreachable() });
  });

  it('leaves the database to older versions, which may be restarted, if it only adds what they do not need', async () => {
    const url = newUrl();
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const known = migrations(dialect);
    const expand: Migration = {
      compatible: true,
      steps: [
        { up: (db) => db.schema.createTable('added').addColumn('id', 'integer').execute() },
        {
          up: () => Promise.reject(new Error('interrupted')),
        },
      ],
    };
    await migrate(dialect, systemClock);
    await expect(migrate(dialect, systemClock, { all: { ...known, '998-expand': expand } })).rejects.toThrow(
      'interrupted',
    );
    await migrate(dialect, systemClock, { onProgress: () => expect.unreachable() });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });

    const contract: Migration = { up: (db) => db.schema.dropTable('probes').execute() };
    const newer = { ...known, '998-expand': { ...expand, steps: [] }, '999-contract': contract };
    await migrate(dialect, systemClock, { all: newer });
    const hint = expect.stringContaining('newer version');
    await expect(openStore(url, systemClock, { thread: false })).rejects.toMatchObject({
      ...{ code: 'database_too_new', message: expect.stringContaining('999-contract'), hint },
    });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'newer', unknown: ['999-contract'] });
  });
}

describe('an upgrade on SQLite', () => {
  const newUrl = () => `sqlite:${join(tempDir(), 'tally.db')}`;
  upgrades(newUrl);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => {
  upgrades(() => server().newDatabase());

  it('is not known without a server', async () => {
    expect(await readDatabaseStatus('postgres://nobody@127.0.0.1:1/nothing')).toMatchObject({ state: 'unreadable' });
  });

  it('waits for the migrations of another process, without advisory locks', async () => {
    const url = server().newDatabase();
    await createDatabase(url);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT name FROM locks WHERE name = 'migrations' FOR UPDATE");
    // Each engine treats advisory locks differently. Here nobody else gets one.
    await other.query('SELECT pg_advisory_lock(key) FROM generate_series(7411600, 7411800) AS key');

    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    let isUpgraded = false;
    const upgraded = migrate(dialect, systemClock, { all: nextMigrations(dialect) }).then(() => (isUpgraded = true));
    const sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const waiting = () => dialect.reading.run({ sql, parameters: [] });
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 40_000 });
    expect(isUpgraded).toBe(false);
    await other.query('COMMIT');
    expect(await upgraded).toBe(true);
  });
});
