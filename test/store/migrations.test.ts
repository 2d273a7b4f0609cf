import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sqlitePathOf } from '../../src/database/database-url.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { day, hour, minute } from '../../src/platform/durations.ts';
import type { Dialect } from '../../src/store/dialect/dialect.ts';
import { postgres } from '../../src/store/dialect/postgres.ts';
import { sqlite } from '../../src/store/dialect/sqlite.ts';
import { migrationNames, migrations } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { brokenLinks } from '../../src/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/store/snapshots/open-snapshot.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { claimDue } from '../support/claim-due.ts';
import { homeAccount } from '../support/home-account.ts';
import { manualClock } from '../support/manual-clock.ts';
import { isSkipped } from '../support/optional-programs.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { startProgram } from '../support/start-program.ts';
import { startReceiver } from '../support/start-receiver.ts';
import { tempDir } from '../support/temp-dir.ts';

const programs = postgresPrograms();
/** The time of the rows in the fixtures. */
const writtenAt = Date.UTC(2026, 0, 1);
const names = migrationNames;

/**
 * The rows that a version writes, as SQL: `001.sql` for the migration 001-…. Null if they are those of an earlier one.
 */
function fixtureOf(name: string): string | null {
  const path = new URL(`upgrades/${name.slice(0, 3)}.sql`, import.meta.url);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Runs a script in one transaction. Each statement ends at the end of a line; bytes are written as in SQLite. */
async function script({ migrating, blobType }: Dialect, text: string): Promise<void> {
  const dialectText = blobType === 'blob' ? text : text.replaceAll(/X'([0-9a-f]+)'/g, String.raw`'\x$1'::bytea`);
  await migrating.begin();
  for (const sql of dialectText.replaceAll(/^--.*$/gm, '').split(/;\s*(?:\n|$)/)) {
    if (sql.trim() !== '') await migrating.run({ sql, parameters: [] });
  }
  await migrating.commit();
}

function upgrades(newUrl: () => string): void {
  function dialectAt(url: string): Dialect {
    const path = sqlitePathOf(url);
    const dialect = path === null ? postgres(url) : sqlite(path);
    onTestFinished(() => dialect.close());
    return dialect;
  }

  /** A database as written by the version whose last migration is `name`. */
  async function createAt(name: string): Promise<string> {
    const url = newUrl();
    const dialect = dialectAt(url);
    const all = Object.entries(migrations(dialect));
    const prefix = all.slice(0, names.indexOf(name) + 1);
    const fixtureName = prefix.map(([at]) => at).findLast((at) => fixtureOf(at) !== null) ?? '';
    for (const [index, [at]] of prefix.entries()) {
      await migrate(dialect, systemClock, { all: Object.fromEntries(prefix.slice(0, index + 1)) });
      if (at === fixtureName) await script(dialect, fixtureOf(at) ?? '');
    }
    return url;
  }

  it.each(names)('preserves all data written at %s', async (name) => {
    const url = await createAt(name);
    const { store, post } = await startReceiver({ databaseUrl: url, clock: manualClock(writtenAt + hour) });

    expect(await store.ledger.account('101')).toEqual({ userId: '101', credits: 35, votes: 2 });
    expect(await store.records.counts()).toMatchObject({
      deliveries: { recorded: 7, duplicate: 1, test: 1, quarantined: 1 },
      effects: { waiting: 5, done: 2, buried: 1 },
      users: 4,
      credits: 145,
      votes: 4,
    });
    for (const userId of ['101', '102', '103', '106']) {
      const entries = await store.records.entries(homeAccount(userId), 100);
      const sum = entries.reduce((total, { credits }) => total + credits, 0);
      expect(entries.length).toBeGreaterThan(0);
      expect(await store.ledger.account(userId)).toMatchObject({ credits: sum });
    }
    expect(await store.ledger.lastVoteAt('101', 'bot')).toBe(Date.UTC(2025, 11, 31, 10));
    const snapshot = await openSnapshot(url);
    onTestFinished(() => snapshot.close());
    expect(await brokenLinks(snapshot)).toBe(0);
    const deliveries = await store.records.deliveries({ outcome: null, limit: 100, before: null });
    expect(deliveries.find(({ outcome }) => outcome === 'quarantined')).toMatchObject({
      receivedAt: writtenAt,
      kind: 'surprise',
      body: `{"event":"surprise","userId":"105","note":"it's new"}`,
    });
    expect(await store.records.effects({ state: 'buried', limit: 9, before: null })).toMatchObject([
      { reason: 'Discord knows no such channel', attempts: 1, deliveryId: 4 },
    ]);

    // Recorded events are still duplicates, and the order is still revoked.
    for (const [index, { outcome, family, body }] of deliveries.toReversed().entries()) {
      if (outcome !== 'recorded') continue;
      const secret = family === 'vote' ? {} : { secret: 'premium-secret-for-tests' };
      expect(await post('/webhooks', JSON.parse(body), secret), String(index)).toMatchObject({
        json: { outcome: 'duplicate' },
      });
    }
    const renewal = {
      event: 'subscription.renewed',
      buyer: { userId: '106' },
      purchaseId: 'purchase-1',
      currentPeriodEnd: '2026-02-01T00:00:00Z',
    };
    expect(await post('/webhooks', renewal, { secret: 'premium-secret-for-tests' })).toMatchObject({
      json: { outcome: 'recorded' },
    });
    expect(await store.ledger.account('106')).toMatchObject({ credits: 100 });

    const due = writtenAt + 2 * hour;
    const claims = [];
    for (let index = 0; index < 5; index += 1) claims.push(...(await claimDue(store.outbox, due, due + minute, 10)));
    expect(claims.find(({ nonce }) => nonce === '5-mjuohs00')).toMatchObject({
      attempts: 2,
      content: { userId: '103' },
    });
    expect(claims.map(({ deliveryId }) => deliveryId)).toEqual(expect.arrayContaining([5, 6, 7, 9, 10]));
    const isPlanned = names.indexOf(name) >= names.indexOf('009-effect-queues');
    expect(await store.outbox.enqueuePlanned(due + day, 9)).toEqual(isPlanned ? ['role 300000000000000001'] : []);
    if (names.indexOf(name) >= names.indexOf('017-member-languages')) await expectRewards(store);
    expect(await store.budgetStore.acquire('abcdef', writtenAt + 1, minute, 1)).toEqual({
      granted: false,
      retryAt: writtenAt + minute,
    });
  });

  it('keeps the old schema when a migration fails midway, and continues with it later', async () => {
    const newest = names.at(-1) ?? '';
    const url = await createAt(newest);
    const dialect = dialectAt(url);
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

  it('migrates once when several processes start at once', { timeout: 30_000 }, async () => {
    const url = newUrl();
    const environment = {
      DISCORD_TOKEN: 'token-for-tests',
      DISCORD_API_URL: 'http://127.0.0.1:9/api',
      LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
      LOOKUP_SERVER_KEY: 'server-key-for-tests',
      DATABASE_URL: url,
      CACHE_URL: 'memory:',
      PORT: '0',
    };
    const directory = tempDir();
    const running = Array.from({ length: 2 }, () => startProgram(['start'], environment, directory));
    for (const each of running) expect(await each.url()).toContain('http://127.0.0.1');
    const store = await openStore(url, systemClock);
    expect(await store.records.counts()).toMatchObject({ users: 0 });
    await store.close();
    for (const each of running) each.process.kill('SIGKILL');
  });

  // Five databases, each with a transaction per step, and waits of up to 500 ms for the lock of the other.
  it('migrates once when two connections start at the same time', { timeout: 60_000 }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const url = newUrl();
      await Promise.all([dialectAt(url), dialectAt(url)].map((dialect) => migrate(dialect, systemClock)));
      const [one] = [dialectAt(url)];
      const applied = await one?.reading.run({
        sql: 'SELECT name FROM kysely_migration ORDER BY name',
        parameters: [],
      });
      expect(applied).toEqual(names.map((name) => ({ name })));
    }
  });
}

/** What `017.sql` stores of a member. */
async function expectRewards(store: Store): Promise<void> {
  expect((await store.records.grants('101')).map(({ role, state }) => [role, state])).toEqual([
    ['400000000000000001', 'applied'],
    ['400000000000000003', 'parked'],
  ]);
  expect(await store.memberLocales.localeOf('101')).toBe('de');
  expect(await store.purchases.purchasesOf('101', '', 9)).toMatchObject([{ name: 'Game key', code: 'CODE-1' }]);
  const none = { role: null, forMs: null, manual: false, stock: null, needsRole: null };
  const items = [{ id: 'key', name: 'Game key', price: 5, codes: ['CODE-1', 'CODE-2'], ...none }];
  const leftIn = async (guildId: string, accounts: string) => {
    const shop = { guildId, accounts, ownerChannelId: null, items };
    return (await store.purchases.offers(shop, { userId: '101', roles: [] }, writtenAt)).offers[0]?.left;
  };
  expect(await leftIn('300000000000000001', '')).toBe(1);
  expect(await leftIn('300000000000000009', '300000000000000009')).toBe(2);
  expect(await store.partyPanels.find('week 2026-W01', writtenAt)).toMatchObject({ votes: 3, goal: 5 });
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

describe.skipIf(isSkipped(programs !== null))('an upgrade on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    server = await startPostgres(programs);
  });
  afterAll(() => server?.stop());
  upgrades(() => server.newDatabase());
});
