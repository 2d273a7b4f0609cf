import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { sqlitePathOf } from '../src/database/database-url.ts';

/** A row with its values as texts, which are the same for each database. */
export type StoredRow = Readonly<Record<string, string | null>>;

/** All rows of a table, read outside the program. Their columns are in alphabetical order. */
export async function readRows(url: string, table: string): Promise<StoredRow[]> {
  const rows = await select(url, `select * from ${table}`);
  return rows.map((row) => {
    const values = Object.entries(row).map(([name, value]) => [name, textOf(value)] as const);
    return Object.fromEntries(values.sort(([one], [another]) => (one < another ? -1 : 1)));
  });
}

async function select(url: string, statement: string): Promise<readonly object[]> {
  const path = sqlitePathOf(url);
  if (path !== null) {
    const database = new DatabaseSync(path);
    const rows = database.prepare(statement).all();
    database.close();
    return rows;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<object>(statement);
  await client.end();
  return rows;
}

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value);
}
