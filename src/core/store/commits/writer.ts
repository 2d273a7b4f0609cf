import type { Clock } from '../../../platform/clock.ts';
import { DatabaseFileReplacedError } from '../../../platform/database-files.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { queryBuilder } from '../query-builder.ts';
import { isRecordingJob } from '../recording/recording-jobs.ts';
import { type StoredFeatures, writesOfModules } from '../sql-module.ts';
import type { Job } from './jobs.ts';

/**
 * The result of a batch. Unless it is `committed`, nothing was stored, or only in a file that has been replaced since.
 */
export type BatchResult =
  | { readonly status: 'committed'; readonly results: readonly unknown[] }
  /** Another connection holds the write lock; retry shortly. */
  | { readonly status: 'busy'; readonly cause: Error }
  /** The database is not writable: full, read-only or gone. */
  | { readonly status: 'unavailable'; readonly cause: Error }
  /** One of the jobs failed. */
  | { readonly status: 'failed'; readonly cause: Error };

/** Runs batches of jobs, each in one transaction. Calls must not overlap. */
export interface Writer {
  /** Never rejects. */
  commit(batch: readonly Job[]): Promise<BatchResult>;
}

/** How long the result of a check of the files is valid for the next commit (ms). A check takes as long as a vote. */
const fileCheckTtlMs = 100;

/** A writer on a connection of its own. */
export function createWriter(dialect: Dialect, clock: Pick<Clock, 'monotonic'>, features: StoredFeatures): Writer {
  const writing = dialect.openWriting();
  let checkedAt = Number.NEGATIVE_INFINITY;
  const { reusesShortenedRows } = dialect;
  const sql = { ...features, db: queryBuilder(dialect), connection: writing, reusesShortenedRows };
  const write = writesOfModules(features.modules, sql);

  /** Events are decided first and together, so that the database is read once for all of them. */
  async function runInTransaction(batch: readonly Job[]): Promise<unknown[]> {
    await writing.begin();
    try {
      const recordings = batch.filter(isRecordingJob);
      const recorded = (recordings.length === 0 ? [] : await writing.record(recordings, features.hooks)).values();
      const results: unknown[] = [];
      for (const job of batch) results.push(isRecordingJob(job) ? next(recorded) : await write(...job.args));
      await writing.commit();
      return results;
    } catch (error) {
      await writing.rollback().catch(() => {});
      throw error;
    }
  }

  const isUnavailable = (error: unknown) => error instanceof DatabaseFileReplacedError || dialect.isUnavailable(error);

  function throwIfReplaced(): void {
    const replaced = dialect.checkFiles();
    if (replaced !== null) throw replaced;
    checkedAt = clock.monotonic();
  }

  return {
    async commit(batch) {
      try {
        // A checkpoint would damage a file that was copied over this one.
        if (clock.monotonic() - checkedAt > fileCheckTtlMs) throwIfReplaced();
        const results = await runInTransaction(batch);
        // A commit to a file that was deleted meanwhile must not be acknowledged.
        throwIfReplaced();
        return { status: 'committed', results };
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error));
        return {
          status: dialect.isBusy(error) ? 'busy' : isUnavailable(error) ? 'unavailable' : 'failed',
          cause,
        };
      }
    },
  };
}

function next<Item>(items: Iterator<Item>): Item {
  const { done, value } = items.next();
  if (done) throw new Error('There are fewer results than jobs.');
  return value;
}
