import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseTooNewError } from '../../src/database/database-too-new-error.ts';
import { type Migration, type Step, stepsOf } from '../../src/database/migrations/migration.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { second } from '../../src/platform/durations.ts';
import { createLog } from '../../src/platform/log.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { eventKeyDigest } from '../../src/store/migrations/008-event-keys.ts';
import { migrationNames, migrations } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { balanceDifferences, brokenLinks, orphanedRows, paymentDifferences } from '../../src/store/snapshots/audit.ts';
import { readDatabaseStatus } from '../../src/store/snapshots/database-status.ts';
import { openSnapshot } from '../../src/store/snapshots/open-snapshot.ts';
import { openStore } from '../../src/store/store.ts';
import { serverAndBot } from '../support/listings.ts';
import { isSkipped } from '../support/optional-programs.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../support/postgres.ts';
import { tempDir } from '../support/temp-dir.ts';
import { createOldDatabase, dialectAt, type OldDatabase, type OldVote } from './upgrades/old-database.ts';

const programs = postgresPrograms();
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
/** Enough for several chunks of each step. */
const votes = 45_000;
const maxKills = 100;
const upgradeFile = new URL('upgrades/upgrade.ts', import.meta.url).pathname;

/** Starts an upgrade in another process. Kills it after so many transactions and milliseconds, unless they are null. */
async function upgrade(url: string, kill: { transactions: number; ms: number } | null): Promise<number | null> {
  const child = spawn(process.execPath, [upgradeFile, url], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let errors = '';
  child.stderr.on('data', (data) => (errors += String(data)));
  child.stdout.on('data', (data) => {
    output += String(data);
    if (kill !== null && output.split('\n').length > kill.transactions) {
      void wait(kill.ms).then(() => child.kill('SIGKILL'));
    }
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect(errors).toBe('');
  return code;
}

/** Compares every row that the upgrade has written with what the old votes say. */
async function expectUpgraded(url: string, old: OldDatabase): Promise<void> {
  expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  try {
    expect(await brokenLinks(snapshot)).toBe(0);
    expect(await balanceDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await paymentDifferences(snapshot)).toEqual({ count: 0, first: [] });
    expect(await orphanedRows(snapshot)).toEqual({ entries: 0, effects: 0, names: 0 });

    const keys = await run(db.selectFrom('event_keys').select('key'));
    const hex = (key: Uint8Array) => Buffer.from(key).toString('hex');
    expect(keys.map(({ key }) => hex(key)).sort()).toEqual(old.keys.map((key) => hex(eventKeyDigest(key))).sort());

    const entries = await run(db.selectFrom('entries').select(['number', 'untimed']).orderBy('id'));
    expect(entries).toEqual(old.votes.map(({ isUntimed }) => ({ number: 0, untimed: isUntimed ? 1 : 0 })));

    const newest = Map.groupBy(old.votes, ({ userId }) => userId);
    const balances = await run(db.selectFrom('balances').select(['user_id', 'entries', 'last_votes']));
    expect(balances.length).toBe(newest.size);
    for (const { user_id: userId, entries: count, last_votes: lastVotes } of balances) {
      expect(count).toBe(0);
      const server = Math.max(...(newest.get(userId) ?? []).map(({ at }) => at));
      expect(JSON.parse(lastVotes)).toEqual({ server });
    }

    const effects = await run(
      db.selectFrom('effects').select(['state', 'attempts', 'created_at', 'unsure_since']).orderBy('id'),
    );
    expect(effects.length).toBe(old.votes.length);
    for (const { state, attempts, created_at: createdAt, unsure_since: unsureSince } of effects) {
      expect(unsureSince).toBe(state === 'waiting' && attempts > 0 ? createdAt : null);
    }
    const tables = await snapshot.tables();
    expect(tables).not.toContain('untimed_deliveries');
    expect(tables).toContain('locks');
  } finally {
    await snapshot.close();
  }
}

/** Delivers an old vote again. */
async function repeat(url: string, { userId, at, isUntimed }: OldVote): Promise<string> {
  const store = await openStore(url, systemClock, { thread: false });
  const [listing] = serverAndBot();
  if (listing === undefined) throw new Error('There is no listing.');
  const target = { kind: 'server', id: '1' } as const;
  const event = {
    ...({ family: 'vote', kind: 'server_vote', target, userId, creditsAwarded: true, denial: null } as const),
    at: isUntimed ? null : at,
  };
  const delivery = { receivedAt: at, family: 'vote', body: '{}' } as const;
  const { outcome } = await store.recorder.record(delivery, {
    type: 'event',
    event,
    listing: { ...listing, name: 'server' },
  });
  await store.close();
  return outcome;
}

function interruptedUpgrades(newUrl: () => string): void {
  it(`survives SIGKILL at any moment (TALLYHOOK_CRASH_SEED=${seed})`, { timeout: 300_000 }, async () => {
    const random = createPrng(seed);
    const url = newUrl();
    const old = await createOldDatabase(url, votes);
    let kills = 0;
    while ((await upgrade(url, { transactions: 1 + Math.floor(random() * 6), ms: random() * 40 })) !== 0) {
      kills += 1;
      expect(kills).toBeLessThan(maxKills);
    }
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
    expect(await Promise.all([upgrade(url, null), upgrade(url, null)])).toEqual([0, 0]);
    await expectUpgraded(url, old);
  });

  it('has its progress in the log, and a new database has none', { timeout: 60_000 }, async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const log = createLog({ level: 'info', secrets: [], destination });
    await (await openStore(newUrl(), systemClock, { thread: false, log })).close();
    expect(lines).toEqual([]);

    const url = newUrl();
    await createOldDatabase(url, 1_000);
    // Each reading of the clock is a second later.
    let now = 0;
    const monotonic = () => {
      now += second;
      return now;
    };
    await (await openStore(url, { ...systemClock, monotonic }, { thread: false, log })).close();
    expect(lines[0]).toMatchObject({ level: 30, msg: 'upgrading the database', migration: migrationNames[1] });
    expect(lines).toContainEqual(expect.objectContaining({ migration: '008-event-keys', rows: 1_010, total: 1_010 }));
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
    await expect(migrate(dialect, systemClock)).rejects.toThrow('999-contract');
    expect(await readDatabaseStatus(url)).toEqual({ state: 'newer', unknown: ['999-contract'] });
  });

  it('reports a database whose upgrade was interrupted as an older one', async () => {
    const url = newUrl();
    await createOldDatabase(url, votes / 10);
    expect(await upgrade(url, { transactions: 3, ms: 0 })).toBe(null);
    expect(await readDatabaseStatus(url)).toMatchObject({
      state: 'older',
      missing: expect.arrayContaining(['008-event-keys']),
    });
  });
}

describe('an upgrade on SQLite', () => {
  interruptedUpgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describe.skipIf(isSkipped(programs !== null))('an upgrade on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    server = await startPostgres(programs);
  });
  afterAll(() => server?.stop());
  interruptedUpgrades(() => server.newDatabase());

  it('can repeat each change of the schema, for engines that commit before recording it', async () => {
    const url = server.newDatabase();
    await createOldDatabase(url, 10);
    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    const all = Object.entries(migrations(dialect)).map(([name, migration]) => [name, twice(migration)]);
    await migrate(dialect, systemClock, { all: Object.fromEntries(all) });
    expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
  });

  it('waits for the migrations of another process, without advisory locks', async () => {
    const url = server.newDatabase();
    await createOldDatabase(url, 10);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN; SELECT name FROM locks WHERE name = 'migrations' FOR UPDATE");
    // Each engine treats advisory locks differently. Here nobody else gets one.
    await other.query('SELECT pg_advisory_lock(key) FROM generate_series(7411600, 7411800) AS key');

    const dialect = dialectAt(url);
    onTestFinished(() => dialect.close());
    let isUpgraded = false;
    const upgraded = migrate(dialect, systemClock).then(() => (isUpgraded = true));
    await wait(800);
    expect(isUpgraded).toBe(false);
    await other.query('COMMIT');
    expect(await upgraded).toBe(true);
  });
});

function twice(migration: Migration): Migration {
  return { steps: stepsOf(migration).flatMap((step): Step[] => ('up' in step ? [step, step] : [step])) };
}
