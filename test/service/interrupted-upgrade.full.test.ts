import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { runMigrations } from '../../src/platform/database/migrations/migrate.ts';
import { connection, readInTransaction } from '../../src/platform/database/postgres-connection.ts';
import { postgresDialect } from '../../src/platform/database/postgres-dialect.ts';
import { createMigratingConnection } from '../../src/platform/database/postgres-migrating.ts';
import { createPool } from '../../src/platform/database/postgres-pool.ts';
import { sqliteDialect } from '../../src/platform/database/sqlite-dialect.ts';
import { openSqlite, sqliteConnection, sqliteMigratingConnection } from '../../src/platform/sqlite.ts';
import { startService } from '../../src/service/service.ts';
import { type Database, openDatabase } from '../../src/service/storage/database.ts';
import { migrationNames, migrations } from '../../src/service/storage/migrations/index.ts';
import { digest } from '../../src/service/storage/secrets.ts';
import { countVotes } from '../../src/service/storage/votes.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ask } from './running.ts';

const key = 'key-of-an-old-version';
const votes = 200_000;
const votedAt = Date.UTC(2025, 5, 1);
/** What an old version has stored. */
const rows = [
  `insert into listings (id, kind, name, description, tags_json, facts_json, owner_id, created_at)
    values ('1', 'bot', 'Bot', '', '[]', '{"servers":1,"shards":1}', '5', ${votedAt})`,
  `insert into keys (listing_id, hash, hint, label, created_at) values ('1', '${digest(key)}', 'sion', 'Key', ${votedAt})`,
  `insert into votes (listing_id, user_id, voted_at)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${votes})
    select '1', cast(n as text), ${votedAt} + n from numbers`,
];
const migrationsBefore = (all: ReturnType<typeof migrations>, name: string) =>
  Object.fromEntries(Object.entries(all).filter(([each]) => each < name));

/** SQLite as of the second migration, whose successor counts the votes. */
async function oldSqlite(): Promise<string> {
  const path = `${tempDir()}/service.db`;
  const file = openSqlite(path, { busyTimeoutMs: 0 });
  const connections = { reading: sqliteConnection(() => file), migrating: sqliteMigratingConnection(() => file) };
  const all = migrations(sqliteDialect);
  await runMigrations({ ...sqliteDialect, ...connections }, systemClock, migrationsBefore(all, '003'));
  for (const statement of rows) file.exec(statement);
  file.close();
  return `sqlite:${path}`;
}

/** PostgreSQL as of the third migration: it was supported from then on. */
async function oldPostgres(url: string): Promise<string> {
  const pool = createPool(url, 2);
  const reading = connection((text, values) => readInTransaction(pool, text, values));
  const database = { ...postgresDialect, reading, migrating: createMigratingConnection(pool) };
  await runMigrations(database, systemClock, migrationsBefore(migrations(postgresDialect), '004'));
  for (const statement of rows) await pool.query(statement);
  await pool.end();
  return url;
}

/** Upgrades in a child process that kills itself after some transactions. */
function upgrade(address: string, transactions: number) {
  const script = fileURLToPath(new URL('upgrading-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, address, String(transactions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return { child, ended };
}

/** Kills the upgrade some ms after it has begun, i.e. within a transaction. */
async function upgradeFor(address: string, ms: number): Promise<void> {
  const { child, ended } = upgrade(address, Number.POSITIVE_INFINITY);
  await once(child.stdout, 'data');
  await wait(ms);
  child.kill('SIGKILL');
  await ended;
}

async function schemaOf(database: Database): Promise<unknown[]> {
  const query =
    database.dialect.name === 'sqlite'
      ? "select type, name, sql from sqlite_master where name not like 'sqlite_%' order by name"
      : `select table_name as name, column_name as part, data_type || is_nullable || coalesce(column_default, '') as sql
          from information_schema.columns where table_schema = 'public'
          union all select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
          union all select event_object_table, trigger_name, action_statement from information_schema.triggers
          order by 1, 2, 3`;
  return (await sql.raw(query).execute(database)).rows;
}

/**
 * Kills the upgrade after each number of transactions, until it ends by itself; then everything must be there.
 * @returns how often it was killed
 */
async function finishUpgrade(address: string, newDatabase: string): Promise<number> {
  let kills = 0;
  while ((await upgrade(address, kills).ended) === 'SIGKILL') kills += 1;
  const [upgraded, fresh] = [await openDatabase(address), await openDatabase(newDatabase)];
  onTestFinished(async () => void (await Promise.all([upgraded.destroy(), fresh.destroy()])));
  expect(await schemaOf(upgraded)).toEqual(await schemaOf(fresh));
  const recorded = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(upgraded);
  expect(recorded.rows.map(({ name }) => name)).toEqual(migrationNames.toSorted());
  expect((await sql`select * from migration_progress`.execute(upgraded)).rows).toEqual([]);
  expect(await countVotes(upgraded, '1', votedAt)).toEqual({ total: votes, month: votes });

  const service = await startService({ database: address, allowLoopbackTargets: true });
  onTestFinished(() => service.stop());
  const { json } = await ask(`${service.baseUrl}/bot`, { headers: { 'X-API-Key': key } });
  expect(json).toMatchObject({ success: true, data: { id: '1', votes } });
  const vote = await service.castVote({ listingId: '1', userId: '7', username: 'mira' });
  expect(vote.recorded).toBe(true);
  return kills;
}

describe('an upgrade that is killed again and again', { timeout: 180_000 }, () => {
  test('goes on where it was, on SQLite', async () => {
    expect(await finishUpgrade(await oldSqlite(), `sqlite:${tempDir()}/service.db`)).toBeGreaterThan(2);
    for (const ms of [0, 20, 50, 100]) {
      const address = await oldSqlite();
      await upgradeFor(address, ms);
      await finishUpgrade(address, `sqlite:${tempDir()}/service.db`);
    }
  });
});

describeOnPostgres('an upgrade that is killed again and again', (server) => {
  test('goes on where it was, on PostgreSQL', { timeout: 180_000 }, async () => {
    const address = await oldPostgres(server().newDatabase());
    // A migration waits in its transaction for a table that another program has locked.
    const other = new pg.Client({ connectionString: address });
    other.on('error', () => {});
    await other.connect();
    for (const table of ['deliveries', 'listings', 'webhooks']) {
      await other.query(`begin; lock table ${table} in access exclusive mode`);
      const { child, ended } = upgrade(address, Number.POSITIVE_INFINITY);
      await eventually(async () => {
        const { rowCount } = await other.query('select from pg_locks where not granted');
        expect(rowCount).toBeGreaterThan(0);
      });
      child.kill('SIGKILL');
      await ended;
      await other.query('rollback');
    }
    await other.end();
    const kills = await finishUpgrade(address, server().newDatabase(server().templates.service));
    expect(kills).toBeGreaterThan(2);
  });
});
