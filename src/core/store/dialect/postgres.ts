import { connection, createTransactions, readInTransaction } from '@tallyhook/platform/database/postgres-connection';
import { postgresDialect } from '@tallyhook/platform/database/postgres-dialect';
import { createMigratingConnection } from '@tallyhook/platform/database/postgres-migrating';
import { createPool } from '@tallyhook/platform/database/postgres-pool';
import { queryBuilder } from '../query-builder.ts';
import type { Dialect } from './dialect.ts';
import { postgresRecord } from './postgres-recording.ts';

/** One for each of the store's writers, and one more: a writer continues while its last transaction is rolled back. */
const maxWritingConnections = 6;
const maxReadingConnections = 4;

/**
 * PostgreSQL, for more than one process. Works through PgBouncer in transaction mode: no startup parameters except user
 * and database, and no session state. Timeouts are set per transaction.
 */
export function postgres(url: string): Dialect {
  // Two pools, so that deliveries do not wait for slow reads, such as sums over all accounts.
  const pool = createPool(url, maxWritingConnections);
  const readingPool = createPool(url, maxReadingConnections);
  const db = queryBuilder(postgresDialect);

  return {
    ...postgresDialect,
    reading: connection((text, values) => readInTransaction(readingPool, text, values)),
    openWriting() {
      const transactions = createTransactions(pool);
      return { ...transactions, record: postgresRecord(transactions, db) };
    },
    migrating: createMigratingConnection(pool),
    files: null,
    dataVersion: null,
    checkFiles: () => null,
    async close() {
      await Promise.all([pool.end(), readingPool.end()]);
    },
  };
}
