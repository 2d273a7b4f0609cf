import { type Clock, second } from '../clock.ts';
import { StoreUnavailable, TallyhookError } from '../errors.ts';
import type { Dialect } from './dialect.ts';

/** Works that fit into one transaction: enough to share a commit, few enough that nobody waits long for it. */
const largestBatch = 256;
/** How long a work waits for a lock that somebody else holds before its sender is told to come back. */
const patience = 3 * second;
const lockPause = 25;

/** The writer cannot take more: as many works as it may hold are waiting already. */
export class QueueFull extends TallyhookError {
  constructor(waiting: number) {
    super('queue_full', `${waiting} transactions are waiting for the database already.`, {
      cure: 'The disk is slower than what comes in. Nothing was lost: the sender is told to come back.',
    });
  }
}

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommit {
  /** Runs the work in a transaction; resolves after the commit. The work may be run again after a rollback. */
  write<Result>(work: () => Promise<Result>): Promise<Result>;
  /** How many works wait. */
  waiting(): number;
  /** Commits what waits, then takes no more. */
  close(): Promise<void>;
}

/**
 * Works that wait together commit together: one fsync for all of them. There is no timer: a lone work begins in the same turn of the
 * event loop, and while one batch is being committed the next one gathers by itself.
 */
export function createGroupCommit(dialect: Dialect, clock: Clock, mostWaiting: number): GroupCommit {
  const queue: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.splice(0, largestBatch);
      await commit(batch);
      // Lets what has arrived meanwhile be read, so that it joins the next batch.
      if (queue.length > 0) await new Promise(setImmediate);
    }
    flushing = undefined;
  }

  /** Where one work of a batch fails, the batch is rolled back and each is tried alone, so that it fails alone. */
  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await transaction(batch);
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]);
      });
    } catch (error) {
      if (dialect.isBusy(error)) return waitForLock(batch, error);
      const [only, ...others] = batch;
      if (others.length === 0 || dialect.isUnavailable(error)) {
        const told = dialect.isUnavailable(error) ? new StoreUnavailable(error) : error;
        for (const { reject } of only === undefined ? [] : batch) reject(told);
        return;
      }
      for (const waiting of batch) await commit([waiting]);
    }
  }

  async function transaction(batch: readonly Waiting[]): Promise<unknown[]> {
    await dialect.writing.begin();
    try {
      const results: unknown[] = [];
      for (const { work } of batch) results.push(await work());
      await dialect.writing.commit();
      return results;
    } catch (error) {
      await dialect.writing.rollback().catch(() => {});
      throw error;
    }
  }

  /** Puts the batch back in its place; those that have waited for too long are told so. */
  async function waitForLock(batch: readonly Waiting[], error: unknown): Promise<void> {
    const now = clock.now();
    const patient = batch.filter(({ since }) => now - since < patience);
    for (const waiting of batch) if (!patient.includes(waiting)) waiting.reject(new StoreUnavailable(error));
    queue.unshift(...patient);
    await clock.sleep(lockPause);
  }

  return {
    write<Result>(work: () => Promise<Result>) {
      if (closed) return Promise.reject(new StoreUnavailable(new Error('The store is closed.')));
      if (queue.length >= mostWaiting) return Promise.reject(new QueueFull(queue.length));
      return new Promise<Result>((resolve, reject) => {
        queue.push({ work, since: clock.now(), resolve: resolve as (result: unknown) => void, reject });
        flushing ??= flush();
      });
    },
    waiting: () => queue.length,
    async close() {
      closed = true;
      await flushing;
    },
  };
}
