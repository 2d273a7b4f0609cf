import { hash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { chunkById, countRows } from '../../../platform/database/migrations/chunk-by-id.ts';
import type { Chunk, Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

const keysPerChunk = 20_000;
const entriesPerChunk = 20_000;

/**
 * Stores the idempotency keys as digests in a narrow table of their own, instead of as texts in the delivery log and
 * its index, which took 140 bytes per vote. Adds the numbers of entries in their user's history, which are not ids, and
 * the mark of votes without a timestamp, which the key contained.
 */
export function eventKeys(dialect: Dialect): Migration {
  const { columnIfNotExists, blobType, cascade } = dialect;
  return {
    steps: [
      {
        async up(db) {
          const zero = sql`not null default 0`;
          await sql`alter table entries add column ${columnIfNotExists} number bigint ${zero}`.execute(db);
          await sql`alter table entries add column ${columnIfNotExists} untimed integer ${zero}`.execute(db);
          await sql`alter table balances add column ${columnIfNotExists} entries bigint ${zero}`.execute(db);
          await db.schema
            .createTable('event_keys')
            .ifNotExists()
            .addColumn('key', blobType, (column) => column.primaryKey().notNull())
            .addColumn('delivery_id', 'bigint', (column) => column.notNull())
            .modifyEnd(dialect.withoutRowid)
            .execute();
          await db.schema
            .createTable('locks')
            .ifNotExists()
            .addColumn('name', 'text', (column) => column.primaryKey().notNull())
            .execute();
          // Entries cannot be found by their delivery, so the deliveries are collected first.
          await db.schema
            .createTable('untimed_deliveries')
            .ifNotExists()
            .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
            .execute();
        },
      },
      {
        async total(db) {
          const { rows } = await sql<{ count: number }>`
            select count(*) as count from deliveries where event_key is not null`.execute(db);
          return rows[0]?.count ?? 0;
        },
        chunk: dialect.defineFunction === null ? copyKeys : copyKeysByFunction(dialect.defineFunction),
      },
      {
        total: async (db) => ((await hasUntimed(db)) ? countRows(db, 'entries') : 0),
        chunk: async (db, cursor) => ((await hasUntimed(db)) ? markUntimed(db, cursor) : null),
      },
      {
        async up(db) {
          await sql`drop index if exists deliveries_event_key ${cascade}`.execute(db);
          await db.schema.dropTable('untimed_deliveries').ifExists().execute();
        },
      },
    ],
  };
}

/**
 * The digest of an idempotency key (16 bytes). A copy of the program's function: this one must never change.
 * Exported for its test.
 */
export function eventKeyDigest(key: string): Buffer {
  const at = timed.test(key) ? Date.parse(key.slice(0, 24)) : Number.NaN;
  if (Number.isNaN(at)) return Buffer.from(hash('sha256', key, 'hex').slice(0, 32), 'hex');
  const time = (at < 0 ? at + 2 ** 48 : at).toString(16).padStart(12, '0');
  return Buffer.from(time + hash('sha256', key.slice(25), 'hex').slice(0, 20), 'hex');
}

const timed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /;
const untimedPattern = '% untimed';

/*
 * Both ways follow the index on the texts: it contains all that is needed, and it is in the order of time, as the
 * digests are. With the function, SQLite takes half the time.
 */

async function copyKeys(db: Kysely<unknown>, cursor: string | null): Promise<Chunk | null> {
  const { rows } = await sql<{ id: number; event_key: string }>`
    select id, event_key from deliveries
    where event_key > ${cursor ?? ''} order by event_key limit ${keysPerChunk}`.execute(db);
  const last = rows.at(-1);
  if (last === undefined) return null;
  const digests = rows.map(({ event_key: key }) => eventKeyDigest(key));
  const ids = rows.map(({ id }) => id);
  await sql`
    insert into event_keys (key, delivery_id) select unnest(${digests}::bytea[]), unnest(${ids}::bigint[])
    on conflict do nothing`.execute(db);
  const untimed = rows.filter(({ event_key: key }) => key.endsWith(untimedPattern.slice(1))).map(({ id }) => id);
  if (untimed.length > 0) {
    await sql`
      insert into untimed_deliveries (id) select unnest(${untimed}::bigint[]) on conflict do nothing`.execute(db);
  }
  return { cursor: last.event_key, rows: rows.length };
}

function copyKeysByFunction(defineFunction: NonNullable<Dialect['defineFunction']>) {
  return async (db: Kysely<unknown>, cursor: string | null): Promise<Chunk | null> => {
    defineFunction('event_key_digest', eventKeyDigest);
    const after = cursor ?? '';
    const { rows } = await sql<{ up_to: string | null; count: number }>`
      select max(event_key) as up_to, count(*) as count from (
        select event_key from deliveries where event_key > ${after} order by event_key limit ${keysPerChunk}
      ) as chunk`.execute(db);
    const { up_to: upTo = null, count = 0 } = rows[0] ?? {};
    if (upTo === null) return null;
    const inChunk = sql`event_key > ${after} and event_key <= ${upTo}`;
    await sql`
      insert into event_keys (key, delivery_id) select event_key_digest(event_key), id from deliveries
      where ${inChunk} order by event_key on conflict do nothing`.execute(db);
    await sql`
      insert into untimed_deliveries (id) select id from deliveries
      where ${inChunk} and event_key like ${untimedPattern} on conflict do nothing`.execute(db);
    return { cursor: upTo, rows: count };
  };
}

async function hasUntimed(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`select id from untimed_deliveries limit 1`.execute(db);
  return rows.length > 0;
}

function markUntimed(db: Kysely<unknown>, cursor: string | null): Promise<Chunk | null> {
  return chunkById(db, 'entries', cursor, entriesPerChunk, ({ after, upTo }) =>
    sql`
      update entries set untimed = 1
      where id > ${after} and id <= ${upTo} and delivery_id in (select id from untimed_deliveries)`.execute(db),
  );
}
