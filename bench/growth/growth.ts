import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { postgresPrograms, startPostgres } from '@tallyhook/platform/testing/postgres';
import pg from 'pg';
import { plainRewards } from '../../src/core/rewards/rules.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import { createPruning } from '../../src/features/upkeep/upkeep.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { firstCommunity } from '../../test/support/communities.ts';
import { channelQueue } from '../../test/support/queues.ts';

/*
 * Records votes with the real recorder, each with a finished announcement; prints the bytes per vote of each table and
 * index, before and after pruning. Too slow for CI:
 *   node bench/growth/growth.ts --database sqlite:/tmp/growth.db --votes 1000000
 * The database must not exist (SQLite) or must be empty (PostgreSQL). `--database postgres` starts a server of its own.
 */

const { values } = parseArgs({
  options: { database: { type: 'string' }, votes: { type: 'string', default: '1000000' } },
});
const server = values.database === 'postgres' ? await startPostgres(postgresPrograms() ?? '', { settings: [] }) : null;
process.on('exit', () => server?.stop());
const url = server?.newDatabase() ?? values.database;
if (url === undefined) throw new Error('--database is missing: sqlite:PATH or postgres://…');
const votes = Number(values.votes);
const votesPerMember = 10;
const members = Math.ceil(votes / votesPerMember);
const votesAtOnce = 512;
const effectsAtOnce = 100;
const channel = '613425648685547542';
/** Older than everything is kept. */
const firstAt = Date.now() - 400 * day;

const listing = {
  name: 'server',
  kind: 'server',
  id: null,
  rewards: plainRewards({ perVote: 10, perPremium: 100, whenDenied: 0, cooldownMs: 12 * hour }),
  community: { guildId: '613425648685547541', id: firstCommunity, timeZone: 'UTC', listings: ['server'] },
  announced: { votes: true, milestones: true, premium: true, party: true },
  announceChannelId: channel,
  premiumChannelId: null,
} as const;

/** So that counted rows are settled without a wait. */
let skippedMs = 0;
const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + skippedMs };

function record(store: Store, member: number, at: number) {
  const userId = String(700_000_000_000_000_000n + BigInt(member) * 7_919n);
  const vote: Vote = {
    ...{ family: 'vote', kind: 'server_vote', target: { kind: 'server', id: '613425648685547541' } },
    ...{ userId, at, creditsAwarded: null, denial: null },
  };
  const body = JSON.stringify({
    ...{ event: 'server_vote', serverId: '613425648685547541', userId, username: 'a member', test: false },
    ...{ timestamp: new Date(at).toISOString(), totalVotes: 1_234 },
  });
  return store.recorder.record({ receivedAt: at, family: 'vote', body }, { type: 'event', event: vote, listing });
}

async function load(store: Store): Promise<void> {
  for (let done = 0; done < votes; done += votesAtOnce) {
    const batch = Array.from({ length: Math.min(votesAtOnce, votes - done) }, (_, index) => {
      const number = done + index;
      return record(store, number % members, firstAt + Math.floor(number / members) * 13 * hour + (number % members));
    });
    await Promise.all(batch);
    await finishEffects(store);
  }
}

/** Claims and finishes the announcements, as the worker does. */
async function finishEffects(store: Store): Promise<void> {
  for (;;) {
    const now = Date.now();
    const effects = await store.outbox.claim(channelQueue(channel), now, now + minute, effectsAtOnce);
    if (effects.length > 0) await store.outbox.done(effects, firstAt + hour);
    if (effects.length < effectsAtOnce) return;
  }
}

async function timed(name: string, run: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await run();
  console.log(`${name}: ${(performance.now() - startedAt).toFixed(1)} ms`);
}

async function printSizes(title: string, sizedUrl: string): Promise<void> {
  const sizes = await objectSizes(sizedUrl);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  console.log(`\n${title}: ${(total / votes).toFixed(1)} bytes per vote`);
  for (const { name, bytes } of sizes.filter(({ bytes }) => bytes / votes >= 0.5)) {
    console.log(`  ${name}: ${(bytes / votes).toFixed(1)}`);
  }
}

const store = await openStore(url, clock);
const walBefore = await walPosition(url);
await timed(`load ${votes} votes`, () => load(store));
const walAfter = await walPosition(url);
if (walBefore !== null && walAfter !== null) {
  console.log(`write-ahead log: ${((walAfter - walBefore) / votes).toFixed(0)} bytes per vote`);
}
await printSizes('as loaded', url);
await vacuum(url);
await timed('summary, everything counted', () => store.records.counts());
await timed('votes per day, everything counted', () => store.votesPerDayIn('UTC')(['server'], Date.now()));
await store.counting.advance();
skippedMs += hour;
await timed('count all rows once', async () => {
  while (await store.counting.advance());
});
await timed('summary, from counters', () => store.records.counts());
await timed('votes per day, from counters', () => store.votesPerDayIn('UTC')(['server'], Date.now()));

let pruned = 0;
const prune = createPruning(
  { bodiesMs: 90 * day, effectsMs: 30 * day },
  {
    ...{ store: store.upkeep, clock, signal: new AbortController().signal },
    onPruned(_kind, rows) {
      pruned += rows;
    },
  },
);
await timed('prune', prune);
console.log(`pruned ${pruned} rows`);
await vacuum(url);
await printSizes('after pruning', url);
await store.close();

/** The size of a table or index (bytes). */
interface StoredObject {
  readonly name: string;
  readonly bytes: number;
}

/** Sizes of all tables and indexes, largest first, and of free space in the file (SQLite) as `(free)`. */
async function objectSizes(url: string): Promise<readonly StoredObject[]> {
  return url.startsWith('sqlite:') ? sqliteSizes(url.slice('sqlite:'.length)) : postgresSizes(url);
}

function sqliteSizes(path: string): readonly StoredObject[] {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const rows = database.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY 2 DESC').all();
    const free = database.prepare(
      'SELECT freelist_count * page_size AS bytes FROM pragma_freelist_count, pragma_page_size',
    );
    return [...rows, { ...free.get(), name: '(free)' }] as unknown as StoredObject[];
  } finally {
    database.close();
  }
}

async function postgresSizes(url: string): Promise<readonly StoredObject[]> {
  return query(
    url,
    `SELECT relname AS name, pg_relation_size(pg_class.oid)::float8 + coalesce(pg_relation_size(nullif(reltoastrelid, 0)), 0)::float8 AS bytes
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = 'public' AND relkind IN ('r', 'i') ORDER BY 2 DESC`,
  );
}

/** Frees the space of deleted rows, as autovacuum does in time. Nothing on SQLite. */
async function vacuum(url: string): Promise<void> {
  if (!url.startsWith('sqlite:')) await query(url, 'VACUUM ANALYZE');
}

/** The position in the write-ahead log (bytes); null on SQLite. */
async function walPosition(url: string): Promise<number | null> {
  if (url.startsWith('sqlite:')) return null;
  const rows = await query<{ bytes: number }>(
    url,
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes",
  );
  return rows[0]?.bytes ?? null;
}

async function query<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
