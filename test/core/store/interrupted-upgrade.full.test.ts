import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { readMigrationState } from '@tallyhook/platform/database/migrations/applied';
import { type Migration, type Step, stepsOf } from '@tallyhook/platform/database/migrations/migration';
import { createPrng } from '@tallyhook/platform/prng';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { postgres } from '../../../src/core/store/dialect/postgres.ts';
import { migrate, migrationNames } from '../../../src/core/store/migrations/index.ts';
import { readDatabaseStatus } from '../../../src/core/store/snapshots/snapshot.ts';
import { openStore } from '../../../src/features/store.ts';
import { dialectAt } from '../../support/dialect-at.ts';
import { createDatabase, nextMigration, nextMigrations, rows } from './upgrades/next-version.ts';

const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const upgradeFile = new URL('upgrades/upgrade.ts', import.meta.url).pathname;

/** When to kill an upgrade: so many milliseconds after so many transactions. It waits for that after the next one. */
interface Kill {
  readonly transactions: number;
  readonly ms: number;
}

/** Starts an upgrade in another process. Returns its exit code: null if it was killed. */
async function upgrade(url: string, kill?: Kill): Promise<number | null> {
  const args = kill === undefined ? [] : [String(kill.transactions)];
  const child = spawn(process.execPath, [upgradeFile, url, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stderr.on('data', (data) => (errors += String(data)));
  child.stdout.on('data', (data) => {
    output += String(data);
    if (kill !== undefined && output.split('\n').length > kill.transactions) {
      void wait(kill.ms).then(() => child.kill('SIGKILL'));
    }
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(errors).toBe('');
  return code;
}

/** Expects every row to be processed once, whoever processed it, and nothing to be left to do. */
async function expectUpgraded(url: string): Promise<void> {
  const dialect = dialectAt(url);
  onTestFinished(() => dialect.close());
  const sql = 'select times_seen, count(*) as count from entries group by times_seen';
  const seen = (await dialect.reading.run({ sql, parameters: [] })) as { times_seen: number; count: number }[];
  expect(seen.map(({ times_seen: times, count }) => [times, Number(count)])).toEqual([[1, rows]]);
  const { applied, unfinished, compatible } = await readMigrationState(dialect, dialect.reading);
  expect({ applied: applied.toSorted(), unfinished, compatible }).toEqual({
    applied: [...migrationNames, nextMigration],
    unfinished: [],
    compatible: [nextMigration],
  });
  // This version may run on it.
  expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
}

function interruptedUpgrades(newUrl: () => string): void {
  it(`survives SIGKILL at any moment (TALLYHOOK_CRASH_SEED=${seed})`, { timeout: 300_000 }, async () => {
    const random = createPrng(seed);
    const url = newUrl();
    await createDatabase(url);
    let kills = 0;
    while ((await upgrade(url, { transactions: 2 + Math.floor(random() * 8), ms: random() * 40 })) !== 0) kills += 1;
    expect(kills).toBeGreaterThan(2);
    await expectUpgraded(url);
  });

  it('is shared by two processes that start at once', { timeout: 120_000 }, async () => {
    const url = newUrl();
    await createDatabase(url);
    expect(await Promise.all([upgrade(url), upgrade(url)])).toEqual([0, 0]);
    await expectUpgraded(url);
  });
}

describe('an upgrade on SQLite', () => {
  interruptedUpgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => {
  interruptedUpgrades(() => server().newDatabase());

  it('can repeat each change of the schema, for engines that commit before recording it', async () => {
    const url = server().newDatabase();
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const all = Object.entries(nextMigrations(dialect)).map(([name, migration]) => [name, twice(migration)]);
    await migrate(dialect, systemClock, { all: Object.fromEntries(all) });
    expect((await readMigrationState(dialect, dialect.reading)).unfinished).toEqual([]);
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
      expect((await readMigrationState(reading, reading.reading)).applied).toEqual(
        expect.arrayContaining([...migrationNames]),
      );
    isDone = true;
    await renames;
    await Promise.all([renaming.end(), reading.close()]);
  });
});

function twice(migration: Migration): Migration {
  return { steps: stepsOf(migration).flatMap((step): Step[] => ('up' in step ? [step, step] : [step])) };
}
