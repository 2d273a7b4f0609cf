import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** The size of a table or index (bytes). */
export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
}

/** Sizes of all tables and indexes, largest first, and of free space in the file (SQLite) as `(free)`. */
export async function objectSizes(url: string): Promise<readonly StoredObject[]> {
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
export async function vacuum(url: string): Promise<void> {
  if (!url.startsWith('sqlite:')) await query(url, 'VACUUM ANALYZE');
}

/** The position in the write-ahead log (bytes); null on SQLite. */
export async function walPosition(url: string): Promise<number | null> {
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
