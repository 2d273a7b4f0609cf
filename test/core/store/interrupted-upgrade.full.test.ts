import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../../src/core/store/migrations/index.ts';
import { migrate } from '../../../src/core/store/migrations/migrate.ts';
import { readDatabaseStatus } from '../../../src/core/store/snapshots/database-status.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { type Migration, type Step, stepsOf } from '../../../src/platform/database/migrations/migration.ts';
import { createPrng } from '../../../src/service/seed/prng.ts';
import { describeOnPostgres } from '../../contracts/databases.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { expectUpgraded, repeat, upgrade } from './upgrades/killed-upgrade.ts';
import { createOldDatabase, dialectAt } from './upgrades/old-database.ts';

const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** Enough for several chunks of each step. */
const votes = 25_000;

function interruptedUpgrades(newUrl: () => string): void {
  it(`survives SIGKILL at any moment (TALLYHOOK_CRASH_SEED=${seed})`, { timeout: 300_000 }, async () => {
    const random = createPrng(seed);
    const url = newUrl();
    const old = await createOldDatabase(url, votes);
    let kills = 0;
    while ((await upgrade(url, { transactions: 3 + Math.floor(random() * 8), ms: random() * 40 })) !== 0) kills += 1;
    expect(kills).toBeGreaterThan(2);
    await expectUpgraded(url, old);
    for (const index of [0, 1, 7, 50, votes - 1]) {
      const vote = old.votes[index];
      if (vote !== undefined) expect(await repeat(url, vote), vote.key).toBe('duplicate');
    }
  });

  it('is shared by two processes that start at once', { timeout: 120_000 }, async () => {
    const url = newUrl();
    const old = await createOldDatabase(url, votes);
    expect(await Promise.all([upgrade(url), upgrade(url)])).toEqual([0, 0]);
    await expectUpgraded(url, old);
  });
}

describe('an upgrade on SQLite', () => {
  interruptedUpgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => {
  interruptedUpgrades(() => server().newDatabase());

  it('can repeat each change of the schema, for engines that commit before recording it', async () => {
    const url = server().newDatabase();
    await createOldDatabase(url, 10);
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const all = Object.entries(migrations(dialect)).map(([name, migration]) => [name, twice(migration)]);
    await migrate(dialect, systemClock, { all: Object.fromEntries(all) });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
  });
});

function twice(migration: Migration): Migration {
  return { steps: stepsOf(migration).flatMap((step): Step[] => ('up' in step ? [step, step] : [step])) };
}
