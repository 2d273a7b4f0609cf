import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { runMigrations } from '../../src/platform/database/migrations/migrate.ts';
import { sqliteDialect } from '../../src/platform/database/sqlite-dialect.ts';
import { openSqlite, sqliteConnection, sqliteMigratingConnection } from '../../src/platform/sqlite.ts';
import { startService } from '../../src/service/service.ts';
import { openDatabase } from '../../src/service/storage/database.ts';
import { findListing } from '../../src/service/storage/listings/listings.ts';
import { migrations } from '../../src/service/storage/migrations/index.ts';
import { countReviews } from '../../src/service/storage/reviews.ts';
import { digest } from '../../src/service/storage/secrets.ts';
import { countVotes } from '../../src/service/storage/votes.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ask, serverId } from './running.ts';

const key = 'key-of-the-first-version';
const lastYear = Date.UTC(2025, 5, 1);

test('an upgrade counts what is there, and what was answered in the last minute', async () => {
  const address = await firstVersion(Date.now());
  const database = await openDatabase(address);
  expect(await countVotes(database, serverId, Date.now())).toEqual({ total: 3, month: 1 });
  expect(await countReviews(database, serverId)).toMatchObject({ total: 2, rating: 3.5 });
  expect(await findListing(database, serverId)).toMatchObject({ categories: ['Community'], invite: null });
  await database.deleteFrom('votes').where('user_id', '=', '3').execute();
  expect(await countVotes(database, serverId, Date.now())).toEqual({ total: 2, month: 0 });
  await database.destroy();

  const service = await startService({ database: address, allowLoopbackTargets: true });
  const { status, headers } = await ask(`${service.baseUrl}/server`, { headers: { 'X-API-Key': key } });
  expect(status).toBe(200);
  expect(headers.get('ratelimit')).toContain('r=114');
  await service.stop();
});

/** A database of the first version: three votes, two reviews, and five requests of a key in the last minute. */
async function firstVersion(now: number): Promise<string> {
  const path = `${tempDir()}/service.db`;
  const file = openSqlite(path, { busyTimeoutMs: 0 });
  const database = {
    ...sqliteDialect,
    reading: sqliteConnection(() => file),
    migrating: sqliteMigratingConnection(() => file),
  };
  const first = Object.entries(migrations(sqliteDialect)).filter(([name]) => name < '002');
  await runMigrations(database, systemClock, Object.fromEntries(first));
  const facts = { category: 'Community', features: [], emojis: [], channelCount: 1, roleCount: 1, rules: [] };
  const run = (text: string, ...values: (string | number)[]) => file.prepare(text).run(...values);
  run(
    "insert into listings values (?, 'server', 'Harbour', '', '[]', ?, '1', ?)",
    serverId,
    JSON.stringify({ ...facts, members: 5, online: 1 }),
    lastYear,
  );
  run(
    "insert into keys (id, listing_id, hash, hint, label, created_at) values (1, ?, ?, 'sion', 'Key', ?)",
    serverId,
    digest(key),
    lastYear,
  );
  const votes = [lastYear, lastYear, now];
  for (const [index, at] of votes.entries())
    run('insert into votes (listing_id, user_id, voted_at) values (?, ?, ?)', serverId, String(index + 1), at);
  for (const [user, rating] of [
    ['1', 5],
    ['2', 2],
  ] as const)
    run(
      "insert into reviews (listing_id, user_id, username, rating, comment, created_at) values (?, ?, 'mira', ?, '', ?)",
      ...([serverId, user, rating, lastYear] as const),
    );
  for (let ago = 1; ago <= 5; ago += 1) run('insert into requests values (1, ?)', now - ago * 1_000);
  file.close();
  return `sqlite:${path}`;
}
