import type { Clock } from '../../../platform/clock.ts';
import { second } from '../../../platform/durations.ts';
import { StoreUnavailableError, TallyhookError } from '../../../platform/errors.ts';
import { isRecordingJob } from '../recording/recording-jobs.ts';
import { createJob, type Job, type JobArgs, type JobName, type JobResults, type Write } from './jobs.ts';
import type { Writer } from './writer.ts';

/** Jobs per transaction: enough to share a commit, few enough to keep its latency low. */
const maxBatchSize = 256;
/** How long a job waits for a lock that another process holds before it is rejected. */
const lockTimeoutMs = 3 * second;
const lockRetryMs = 25;
/** Jobs that must wait before a further writer starts. */
const minOverlapLength = 16;

/** The queue of the writer is full. */
export class QueueFullError extends TallyhookError {
  constructor(waiting: number) {
    super('queue_full', `${waiting} transactions are already waiting for the database.`, {
      hint: 'The disk is slower than the incoming deliveries. No delivery is lost: the sender is asked to retry.',
    });
  }
}

interface QueuedJob {
  readonly job: Job;
  readonly queuedAt: number;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits jobs in batches. */
export interface GroupCommit {
  /**
   * Rejects with {@link StoreUnavailableError} (also after `close`), {@link QueueFullError}, or the job's own error.
   */
  readonly write: Write;
  /** The number of jobs that are not committed yet. */
  waiting(): number;
  /** Commits the queued jobs, then rejects new ones. */
  close(): Promise<void>;
}

/**
 * Commits queued jobs together, with one fsync for all of them. There is no timer: a single job starts in the same turn
 * of the event loop, and the next batch collects while one is being committed. With several writers, batches overlap,
 * which pays if most of the time is spent waiting for a server.
 * @param maxQueueLength number of jobs that may wait at one time
 */
export function createGroupCommit(writers: readonly Writer[], clock: Clock, maxQueueLength: number): GroupCommit {
  const queue: QueuedJob[] = [];
  const idle = [...writers];
  const flushing = new Set<Promise<void>>();
  let closed = false;

  /** The first writer starts for any job, another one only for a batch that is worth its round trips. */
  function startWriter(): void {
    const minQueueLength = idle.length === writers.length ? 1 : minOverlapLength;
    const writer = queue.length >= minQueueLength ? idle.pop() : undefined;
    if (writer === undefined) return;
    const flush = flushWith(writer);
    flushing.add(flush);
    void flush.then(() => flushing.delete(flush));
  }

  async function flushWith(writer: Writer): Promise<void> {
    await new Promise(setImmediate);
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatchSize);
      await commit(writer, batch);
      // Lets requests that have arrived meanwhile be read, so that they join the next batch.
      if (queue.length > 0) await new Promise(setImmediate);
    }
    // In the same turn in which the queue was empty, or a new job would be left in it.
    idle.push(writer);
  }

  /**
   * If a job fails, its batch is rolled back and each job is committed alone, so that only the failing one is rejected.
   */
  async function commit(writer: Writer, batch: readonly QueuedJob[]): Promise<void> {
    const commitResult = await writer.commit(batch.map(({ job }) => job));
    switch (commitResult.status) {
      case 'committed':
        commitResult.results.forEach((result, index) => {
          batch[index]?.resolve(result);
        });
        return;
      case 'busy':
        queue.unshift(...batch);
        rejectExpired(commitResult.cause);
        // At random, so that two processes do not meet again.
        return clock.sleep(lockRetryMs * (0.5 + clock.random()));
      case 'unavailable':
        rejectAll(batch, new StoreUnavailableError(commitResult.cause));
        return rejectExpired(commitResult.cause);
      case 'failed':
        if (batch.length === 1) return rejectAll(batch, commitResult.cause);
        for (const queued of batch) await commit(writer, [queued]);
    }
  }

  function rejectAll(jobs: readonly QueuedJob[], error: Error): void {
    for (const { reject } of jobs) reject(error);
  }

  /**
   * Rejects all jobs that have waited for too long. Checks the whole queue, because a single attempt may take seconds.
   */
  function rejectExpired(cause: Error): void {
    const now = clock.monotonic();
    const isExpired = ({ queuedAt }: QueuedJob) => now - queuedAt >= lockTimeoutMs;
    const queued = queue.splice(0);
    queue.push(...queued.filter((each) => !isExpired(each)));
    rejectAll(queued.filter(isExpired), new StoreUnavailableError(cause));
  }

  return {
    write<Name extends JobName>(name: Name, ...args: JobArgs[Name]): Promise<JobResults[Name]> {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (queue.length >= maxQueueLength) return Promise.reject(new QueueFullError(queue.length));
      return new Promise((resolve, reject) => {
        queue.push({
          job: createJob(name, args),
          queuedAt: clock.monotonic(),
          // The writer returns the results in the order of the jobs.
          resolve: (result) => resolve(result as JobResults[Name]),
          reject,
        });
        startWriter();
      });
    },
    waiting: () => queue.length,
    async close() {
      closed = true;
      while (flushing.size > 0) await Promise.all(flushing);
    },
  };
}

/** A group commit that gives recordings and all other jobs each a queue of their own. */
export function separateRecordings(recordings: GroupCommit, others: GroupCommit): GroupCommit {
  return {
    write: (name, ...args) => (isRecordingJob({ name }) ? recordings : others).write(name, ...args),
    waiting: () => recordings.waiting() + others.waiting(),
    async close() {
      await Promise.all([recordings.close(), others.close()]);
    },
  };
}
