import { connection, createTransactions, readInTransaction } from '@tallyhook/platform/database/postgres-connection';
import { postgresDialect } from '@tallyhook/platform/database/postgres-dialect';
import { createMigratingConnection } from '@tallyhook/platform/database/postgres-migrating';
import { createPool } from '@tallyhook/platform/database/postgres-pool';
import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import type { Kysely } from 'kysely';
import { decide, type RecordingResult } from '../../tally/recorder.ts';
import { queryBuilder } from '../query-builder.ts';
import { needsOf } from '../recording/needs.ts';
import { createUnitOfWork } from '../recording/unit-of-work.ts';
import type { Tables } from '../tables.ts';
import type { Dialect, RecordBatch } from './dialect.ts';
import { sendChanges } from './postgres-changes.ts';
import { createLoader, NotLoadedError } from './postgres-loader.ts';

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

/**
 * Records deliveries inside the connection's current transaction, in two round trips: begin, lock and read; then decide
 * in memory, write and commit. If a decision needs more than was read, that is read too, and the whole batch is decided
 * again.
 */
export function postgresRecord(connection: PostgresTransactions, db: Kysely<Tables>): RecordBatch {
  return async (jobs, hooks) => {
    const loader = createLoader({ db, connection });
    let needs = needsOf(jobs, hooks);
    while (true) {
      await loader.load(needs);
      const { reads, missing, newEvents } = loader.createReads();
      const { tally, changes } = createUnitOfWork(reads, hooks);
      const results: RecordingResult[] = [];
      for (const job of jobs) {
        try {
          results.push(decide(tally, job));
        } catch (error) {
          if (!(error instanceof NotLoadedError)) throw error;
        }
      }
      if (results.length === jobs.length) {
        sendChanges(connection, db, changes, newEvents, loader);
        return results;
      }
      needs = missing;
    }
  };
}
