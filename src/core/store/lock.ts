import type { Connection } from '@tallyhook/platform/database/dialect';
import type { Kysely } from 'kysely';
import { run } from './query-builder.ts';
import type { Tables } from './tables.ts';

/**
 * Locks a name until the end of the transaction. A row of its own, because an advisory lock is not available in every
 * database of PostgreSQL's family, and in others is a lock of one node.
 */
export async function lock(connection: Connection, db: Kysely<Tables>, name: string): Promise<void> {
  const insert = db.insertInto('locks').values({ name });
  const touch = insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ name }));
  await run(connection, touch);
}
