import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { StoreUnavailableError, TallyhookError } from '../../platform/errors.ts';
import type { Job, Write } from '../writes/writes.ts';
import type { Writer } from './writer.ts';

/** Works that fit into one transaction: enough to share a commit, few enough that nobody waits long for it. */
const maxBatchSize = 256;
/** How long a work waits for a lock that somebody else holds before its sender is told to come back. */
const lockTimeoutMs = 3 * second;
/** Between two tries for the lock (ms). */
const lockRetryMs = 25;

/** The writer cannot take more: as many works as it may hold are waiting already. */
export class QueueFullError extends TallyhookError {
  constructor(waiting: number) {
    super('queue_full', `${waiting} transactions are waiting for the database already.`, {
      hint: 'The disk is slower than what comes in. Nothing was lost: the sender is told to come back.',
    });
  }
}

interface Waiting {
  readonly job: Job;
  readonly since: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The way to the one who writes. */
export interface GroupCommit {
  /** Rejects with {@link StoreUnavailableError}, also after `close`, {@link QueueFullError}, or what the work itself throws. */
  readonly write: Write;
  /** How many works wait. */
  waiting(): number;
  /** Commits what waits, then takes no more. */
  close(): Promise<void>;
}

/**
 * Works that wait together commit together: one fsync for all of them. There is no timer: a lone work begins in the same turn of the
 * event loop, and while one batch is being committed the next one gathers by itself.
 * @param mostWaiting works that may wait at one time
 */
export function createGroupCommit(writer: Writer, clock: Clock, mostWaiting: number): GroupCommit {
  const queue: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatchSize);
      await commit(batch);
      // Lets what has arrived meanwhile be read, so that it joins the next batch.
      if (queue.length > 0) await new Promise(setImmediate);
    }
    flushing = undefined;
  }

  /** Where one work of a batch fails, the batch is rolled back and each is tried alone, so that it fails alone. */
  async function commit(batch: readonly Waiting[]): Promise<void> {
    const written = await writer.commit(batch.map(({ job }) => job));
    switch (written.status) {
      case 'committed':
        batch.forEach(({ resolve }, index) => {
          resolve(written.results[index]);
        });
        return;
      case 'busy':
        queue.unshift(...batch);
        refuseImpatient(written.cause);
        return clock.sleep(lockRetryMs);
      case 'unavailable':
        refuse(batch, new StoreUnavailableError(written.cause));
        return refuseImpatient(written.cause);
      case 'failed':
        if (batch.length === 1) return refuse(batch, written.cause);
        for (const waiting of batch) await commit([waiting]);
    }
  }

  function refuse(batch: readonly Waiting[], error: Error): void {
    for (const { reject } of batch) reject(error);
  }

  /** Tells those who have waited for too long, also at the end of the queue: a single try may take seconds. */
  function refuseImpatient(cause: Error): void {
    const now = clock.monotonic();
    const isPatient = ({ since }: Waiting) => now - since < lockTimeoutMs;
    const waiting = queue.splice(0);
    queue.push(...waiting.filter(isPatient));
    refuse(
      waiting.filter((each) => !isPatient(each)),
      new StoreUnavailableError(cause),
    );
  }

  return {
    write(name, ...args) {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (queue.length >= mostWaiting) return Promise.reject(new QueueFullError(queue.length));
      const result = new Promise<unknown>((resolve, reject) => {
        queue.push({ job: { name, args }, since: clock.monotonic(), resolve, reject });
        flushing ??= flush();
      });
      return result as Promise<never>;
    },
    waiting: () => queue.length,
    async close() {
      closed = true;
      await flushing;
    },
  };
}
