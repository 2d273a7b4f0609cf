import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { sqlitePathOf } from '../src/database/database-url.ts';

/** Runs a statement in a database of any kind, outside the program. */
export async function runSql(url: string, statement: string): Promise<void> {
  const path = sqlitePathOf(url);
  if (path !== null) {
    const database = new DatabaseSync(path);
    database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
