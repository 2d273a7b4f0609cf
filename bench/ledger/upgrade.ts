import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import type { Dialect } from '../../src/core/store/dialect/dialect.ts';
import { postgres } from '../../src/core/store/dialect/postgres.ts';
import { sqlite } from '../../src/core/store/dialect/sqlite.ts';
import { migrationNames, migrations } from '../../src/core/store/migrations/index.ts';
import { migrate } from '../../src/core/store/migrations/migrate.ts';
import { balanceDifferences, brokenLinks, orphanedRows } from '../../src/core/store/snapshots/audit.ts';
import { readDatabaseStatus } from '../../src/core/store/snapshots/database-status.ts';
import { openSnapshot } from '../../src/core/store/snapshots/open-snapshot.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sqlitePathOf } from '../../src/platform/database/database-url.ts';
import { formatElapsed, second } from '../../src/platform/durations.ts';
import { fill, fillPostgres } from './fill.ts';

/*
 * Creates a database of the first schema with many entries, and measures each migration. Too slow for CI:
 *   node bench/ledger/upgrade.ts --database sqlite:/tmp/upgrade.db --entries 10000000
 * The database must not exist (SQLite) or must be empty (PostgreSQL). With --until 006-revoked-sessions it stops after
 * that migration, and with --filled it continues with such a database.
 */

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    entries: { type: 'string', default: '10000000' },
    until: { type: 'string', default: migrationNames.at(-1) ?? '' },
    filled: { type: 'boolean', default: false },
  },
});
const { database: url } = values;
if (url === undefined) throw new Error('--database is missing: sqlite:PATH or postgres://…');
const entries = Number(values.entries);
const path = sqlitePathOf(url);

const count = migrationNames.indexOf(values.until) + 1;

if (!values.filled) {
  await measure('fill', async () => {
    if (path === null) return fillPostgres(url, entries);
    mkdirSync(dirname(path), { recursive: true });
    await fill(path, entries);
  });
}
if (path !== null) console.log(`${Math.round(statSync(path).size / 1e6)} MB`);

const status = await readDatabaseStatus(url);
const missing = status.state === 'older' ? status.missing : [];
for (const [index, name] of migrationNames.slice(0, count).entries()) {
  if (missing.includes(name)) await measure(name, () => migrateTo(index));
}
if (count === migrationNames.length) await measure('audit', () => audit(url));

async function migrateTo(index: number): Promise<void> {
  const dialect: Dialect = path === null ? postgres(url ?? '') : sqlite(path);
  const all = Object.fromEntries(Object.entries(migrations(dialect)).slice(0, index + 1));
  let startedAt = performance.now();
  let reported: number | undefined;
  await migrate(dialect, systemClock, {
    all,
    onProgress({ migration, step, rows, total }) {
      const now = performance.now();
      if (step === reported && now - startedAt < 5 * second) return;
      const since = formatElapsed(now - startedAt);
      console.log(`  ${migration}, steps done ${step}: ${rows} of ${total ?? '–'} rows, ${since} since the last line`);
      startedAt = now;
      reported = step;
    },
  });
  await dialect.close();
}

async function audit(databaseUrl: string): Promise<void> {
  const snapshot = await openSnapshot(databaseUrl);
  const links = await brokenLinks(snapshot);
  const { count } = await balanceDifferences(snapshot);
  const orphans = await orphanedRows(snapshot);
  const keys = await snapshot.run(
    snapshot.db.selectFrom('event_keys').select(({ fn }) => fn.countAll<number>().as('count')),
  );
  await snapshot.close();
  console.log(
    `  broken links: ${links}, wrong balances: ${count}, orphans: ${JSON.stringify(orphans)}, keys: ${keys[0]?.count}`,
  );
}

async function measure(name: string, run: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await run();
  const took = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  const rate = Math.round((entries / took) * second).toLocaleString('en');
  console.log(`${name}: ${formatElapsed(took)} (${rate} entries/s), CPU ${formatElapsed((user + system) / 1_000)}`);
}
