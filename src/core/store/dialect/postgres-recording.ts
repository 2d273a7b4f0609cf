import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import type { Kysely } from 'kysely';
import { decide, type RecordingResult } from '../../tally/recorder.ts';
import { needsOf } from '../recording/needs.ts';
import { createUnitOfWork } from '../recording/unit-of-work.ts';
import type { Tables } from '../tables.ts';
import type { RecordBatch } from './dialect.ts';
import { sendChanges } from './postgres-changes.ts';
import { createLoader, NotLoadedError } from './postgres-loader.ts';

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
