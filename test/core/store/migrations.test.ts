import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Dialect } from '../../../src/core/store/dialect/dialect.ts';
import { sqlite } from '../../../src/core/store/dialect/sqlite.ts';
import { migrations, migrationNames as names } from '../../../src/core/store/migrations/index.ts';
import { migrate } from '../../../src/core/store/migrations/migrate.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Migration } from '../../../src/platform/database/migrations/migration.ts';
import { describeOnPostgres } from '../../contracts/databases.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { dialectAt } from './upgrades/old-database.ts';
import { createAt, expectPreserved } from './upgrades/stored-data.ts';

function upgrades(newUrl: () => string): void {
  function openDialect(url: string): Dialect {
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    return dialect;
  }

  it.each([names.at(0) ?? '', names.at(-2) ?? ''])('preserves all data written at %s', (name) =>
    expectPreserved(newUrl(), name),
  );

  it('keeps the old schema when a migration fails midway, and continues with it later', async () => {
    const url = newUrl();
    await createAt(url, names.at(-1) ?? '');
    const dialect = openDialect(url);
    const known = migrations(dialect);
    const tables = () => dialect.reading.run({ sql: tablesOf(url), parameters: [] });
    const before = await tables();
    let fails = true;
    const all: Record<string, Migration> = {
      ...known,
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
    const after = await tables();
    expect(after).toContainEqual(expect.objectContaining({ name: 'whole' }));
    expect(after).not.toContainEqual(expect.objectContaining({ name: 'half' }));
    expect(after.filter((row) => (row as { name: string }).name !== 'whole')).toEqual(before);

    fails = false;
    await migrate(dialect, systemClock, { all });
    expect(await tables()).toContainEqual(expect.objectContaining({ name: 'half' }));
  });

  it('migrates once when two connections start at the same time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const url = newUrl();
      await Promise.all([openDialect(url), openDialect(url)].map((dialect) => migrate(dialect, systemClock)));
      const [one] = [openDialect(url)];
      const applied = await one?.reading.run({
        sql: 'SELECT name FROM kysely_migration ORDER BY name',
        parameters: [],
      });
      expect(applied).toEqual(names.map((name) => ({ name })));
    }
  });
}

/** A query for all tables with their columns. */
function tablesOf(url: string): string {
  return url.startsWith('sqlite:')
    ? "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name"
    : `SELECT table_name AS name, count(*) AS columns FROM information_schema.columns
       WHERE table_schema = 'public' GROUP BY table_name ORDER BY table_name`;
}

it.each(names.filter((name) => name >= '022'))('%s declares whether older versions may run with it', (name) => {
  const dialect = sqlite(join(tempDir(), 'tally.db'));
  onTestFinished(() => dialect.close());
  expect(migrations(dialect)[name]?.compatible).toBeTypeOf('boolean');
});

describe('an upgrade on SQLite', () => {
  upgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => upgrades(() => server().newDatabase()));
