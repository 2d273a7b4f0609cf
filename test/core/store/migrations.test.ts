import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { Migration } from '@tallyhook/platform/database/migrations/migration';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Dialect } from '../../../src/core/store/dialect/dialect.ts';
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
    await expect(migrate(dialect, systemClock, { all })).rejects.toThrow('midway');
    const after = await contentsOf(url);
    expect(after.tables).toContainEqual(expect.objectContaining({ name: 'whole' }));
    expect(after.tables.filter(({ name }) => name !== 'whole')).toEqual(before.tables);

    fails = false;
    await migrate(dialect, systemClock, { all });
    expect((await contentsOf(url)).tables).toContainEqual(expect.objectContaining({ name: 'half' }));
  });

  it('migrates once when two connections start at the same time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const url = newUrl();
      await Promise.all([openDialect(url), openDialect(url)].map((dialect) => migrate(dialect, systemClock)));
      expect((await contentsOf(url)).migrations).toEqual(names.map((name) => ({ name })));
    }
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

describeOnPostgres('an upgrade on PostgreSQL', (server) => upgrades(() => server().newDatabase()));
