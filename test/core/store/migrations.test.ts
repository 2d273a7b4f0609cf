import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { readMigrationState } from '@tallyhook/platform/database/migrations/applied';
import { type Migration, runMigrations } from '@tallyhook/platform/database/migrations/migrate';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Dialect } from '../../../src/core/store/dialect/dialect.ts';
import { postgres } from '../../../src/core/store/dialect/postgres.ts';
import { migrate, migrations, migrationNames as names } from '../../../src/core/store/migrations/index.ts';
import { readDatabaseStatus } from '../../../src/core/store/snapshots/snapshot.ts';
import { openStore } from '../../../src/features/store.ts';
import { dialectAt } from '../../support/dialect-at.ts';
import { startProgram } from '../../support/start-program.ts';

function upgrades(newUrl: () => string): void {
  function openDialect(url: string): Dialect {
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    return dialect;
  }

  it('keeps the old schema when a migration fails midway, and continues with it later', async () => {
    const url = newUrl();
    const dialect = openDialect(url);
    await migrate(dialect, systemClock);
    const before = await contentsOf(url);
    let fails = true;
    const all: Record<string, Migration> = {
      ...migrations(dialect),
      '998-whole': { up: (db) => db.schema.createTable('whole').addColumn('id', 'integer').execute() },
      '999-half': {
        async up(db) {
          await db.schema.createTable('half').addColumn('id', 'integer').execute();
          await db.schema.alterTable('balances').addColumn('half', 'integer').execute();
          if (fails) throw new Error('midway');
        },
      },
    };
    await expect(runMigrations(dialect, systemClock, all)).rejects.toThrow('midway');
    const after = await contentsOf(url);
    expect(after.tables).toContainEqual(expect.objectContaining({ name: 'whole' }));
    expect(after.tables.filter(({ name }) => name !== 'whole')).toEqual(before.tables);

    fails = false;
    await runMigrations(dialect, systemClock, all);
    expect((await contentsOf(url)).tables).toContainEqual(expect.objectContaining({ name: 'half' }));
  });

  it('migrates once when two connections start at the same time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const url = newUrl();
      await Promise.all([openDialect(url), openDialect(url)].map((dialect) => migrate(dialect, systemClock)));
      expect((await contentsOf(url)).migrations).toEqual(names.map((name) => ({ name })));
    }
  });

  it('reports each migration of an upgrade before it runs, and nothing of a new database', async () => {
    const url = newUrl();
    const dialect = openDialect(url);
    expect(await readDatabaseStatus(url)).toEqual({ state: 'absent' });
    expect(await migrate(dialect, systemClock, () => expect.unreachable())).toBe(true);
    const reported: string[] = [];
    const up = async () => void reported.push('runs');
    const all = { ...migrations(dialect), '998-next': { up }, '999-last': { up } };
    expect(await runMigrations(dialect, systemClock, all, (name) => reported.push(name))).toBe(false);
    expect(reported).toEqual(['998-next', 'runs', '999-last', 'runs']);
    expect(await runMigrations(dialect, systemClock, all, () => expect.unreachable())).toBe(false);
  });

  it('leaves the database to older versions, which may be restarted, if it only adds what they do not need', async () => {
    const url = newUrl();
    const dialect = openDialect(url);
    const expand: Migration = {
      compatible: true,
      up: (db) => db.schema.createTable('added').addColumn('id', 'integer').execute(),
    };
    const expanded = { ...migrations(dialect), '998-expand': expand };
    await runMigrations(dialect, systemClock, expanded);
    await migrate(dialect, systemClock, () => expect.unreachable());
    expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });

    const contract: Migration = { up: (db) => db.schema.dropTable('probes').execute() };
    await runMigrations(dialect, systemClock, { ...expanded, '999-contract': contract });
    const hint = expect.stringContaining('newer version');
    await expect(openStore(url, systemClock, { thread: false })).rejects.toMatchObject({
      ...{ code: 'database_too_new', message: expect.stringContaining('999-contract'), hint },
    });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'newer', unknown: ['999-contract'] });
  });

  it.each([
    ['the first ones', ['001-first', '002-unsure-effects']],
    ['an earlier state of the first release', ['001-bot-0']],
  ])('refuses a database of a development version, of %s, and changes nothing in it', async (_, applied) => {
    const url = newUrl();
    await (await openStore(url, systemClock, { thread: false })).close();
    await runSql(url, 'DELETE FROM kysely_migration');
    const rows = applied.map((name) => `('${name}', '2026')`).join(', ');
    await runSql(url, `INSERT INTO kysely_migration (name, timestamp) VALUES ${rows}`);
    const before = await contentsOf(url);
    await expect(openStore(url, systemClock, { thread: false })).rejects.toMatchObject({
      code: 'database_unreleased',
      message: expect.stringContaining('development version of tallyhook from before 0.1.0'),
      hint: expect.stringContaining('Move it away'),
    });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'unreleased' });

    const program = startProgram(['export'], { DATABASE_URL: url }, tempDir());
    expect(await program.ended, program.output()).toBe(1);
    expect(program.output()).toContain('development version of tallyhook from before 0.1.0');
    expect(await contentsOf(url)).toEqual(before);
  });

  async function contentsOf(url: string) {
    const path = sqlitePathOf(url);
    const dialect = dialectAt(url);
    const read = async (sql: string) => (await dialect.reading.run({ sql, parameters: [] })) as { name: string }[];
    const contents = {
      tables: await read(path === null ? postgresTables : sqliteTables),
      migrations: await read('SELECT name FROM kysely_migration ORDER BY name'),
    };
    await dialect.close();
    return { ...contents, bytes: path === null ? null : readFileSync(path).toString('base64') };
  }
}

const sqliteTables = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name";
const postgresTables = `SELECT table_name AS name, count(*) AS columns FROM information_schema.columns
  WHERE table_schema = 'public' GROUP BY table_name ORDER BY table_name`;

describe('an upgrade on SQLite', () => {
  upgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => {
  upgrades(() => server().newDatabase());

  it('is not known without a server', async () => {
    expect(await readDatabaseStatus('postgres://nobody@127.0.0.1:1/nothing')).toMatchObject({ state: 'unreadable' });
  });

  it('waits for the migrations of another process, without advisory locks', async () => {
    const url = server().newDatabase();
    await (await openStore(url, systemClock, { thread: false })).close();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT name FROM locks WHERE name = 'migrations' FOR UPDATE");
    // Each engine treats advisory locks differently. Here nobody else gets one.
    await other.query('SELECT pg_advisory_lock(key) FROM generate_series(7411600, 7411800) AS key');

    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    let isUpgraded = false;
    const all = { ...migrations(dialect), '999-next': { up: async () => {} } };
    const upgraded = runMigrations(dialect, systemClock, all).then(() => (isUpgraded = true));
    const sql = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    const waiting = () => dialect.reading.run({ sql, parameters: [] });
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), { timeout: 40_000 });
    expect(isUpgraded).toBe(false);
    await other.query('COMMIT');
    expect(await upgraded).toBe(true);
  });

  it('can repeat each change of the schema, for engines that commit before recording it', async () => {
    const dialect = dialectAt(server().newDatabase());
    onTestFinished(() => dialect.close());
    const twice = ({ up }: Migration): Migration => ({ up: (db) => up(db).then(() => up(db)) });
    const all = Object.entries(migrations(dialect)).map(([name, migration]) => [name, twice(migration)]);
    expect(await runMigrations(dialect, systemClock, Object.fromEntries(all))).toBe(true);
  });

  it('reads what is applied while another process renames columns', async () => {
    const url = server().newDatabase();
    await (await openStore(url, systemClock, { thread: false })).close();
    const renaming = new pg.Client(url);
    await renaming.connect();
    const reading = postgres(url);
    let isDone = false;
    const renames = (async () => {
      for (let columns = ['queue', 'channel_id']; !isDone; columns = columns.toReversed())
        await renaming.query(`ALTER TABLE effects RENAME COLUMN ${columns[0]} TO ${columns[1]}`);
    })();
    for (let count = 0; count < 100; count += 1)
      expect((await readMigrationState(reading, reading.reading)).applied).toEqual([...names]);
    isDone = true;
    await renames;
    await Promise.all([renaming.end(), reading.close()]);
  });
});
