import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DatabaseFiles } from '@tallyhook/platform/database-files';
import { StoreUnavailableError } from '@tallyhook/platform/errors';
import { SlotMap } from '@tallyhook/platform/slot-map';
import { type GroupCommit, QueueFullError } from './group-commit.ts';
import { createJobEncoder, decodeResult, type JobOutcome, type WorkerRequest, type WorkerResponse } from './jobs.ts';

/**
 * This many jobs are posted immediately, without waiting for the end of the turn. With all 64 of a turn in one message,
 * each thread is idle while the other works; with fewer, more commits cost more than the shorter wait saves.
 */
const messageSize = 24;

interface PendingJob {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The group commit of a SQLite file on a worker thread, so that neither the disk nor a lock blocks this thread, and
 * deliveries are verified while others are being committed. Jobs are posted at the end of the current turn of the event
 * loop at the latest. If the worker crashes, its jobs are rejected as not written, and the next write starts a new
 * worker.
 * @param workerFile calls `runWriteWorker`
 */
export function startWriteWorker(workerFile: URL, files: DatabaseFiles, maxQueueLength: number): GroupCommit {
  /** By the number of the job. */
  const pending = new SlotMap<PendingJob>();
  let encodeJob: ReturnType<typeof createJobEncoder>;
  let worker: Worker | undefined = startWorker();
  let request: WorkerRequest[number][] = [];
  let closed = false;

  function startWorker(): Worker {
    // The worker needs no settings, and they contain secrets. Node's options are for the program: with `--input-type`, which
    // comes with `--eval`, a file cannot be started.
    const newWorker = new Worker(workerFile, { workerData: files, env: {}, execArgv: [] });
    // The new worker knows no listings.
    encodeJob = createJobEncoder();
    const rejectPending = (cause: Error) => {
      if (worker !== newWorker) return;
      worker = undefined;
      request = [];
      for (const { reject } of pending.values()) reject(new StoreUnavailableError(cause));
      pending.clear();
    };
    newWorker.on('message', (response: WorkerResponse) => {
      // Its jobs were rejected, and their numbers may be those of others.
      if (worker !== newWorker) return;
      for (const [id, outcome] of response) settle(id, outcome);
      if (pending.size === 0) newWorker.unref();
    });
    newWorker.on('error', rejectPending);
    newWorker.on('exit', (code) => rejectPending(new Error(`The write worker has exited (${code}).`)));
    newWorker.unref();
    return newWorker;
  }

  function settle(id: number, outcome: JobOutcome): void {
    const job = pending.take(id);
    try {
      job?.resolve(decodeResult(outcome));
    } catch (error) {
      job?.reject(error);
    }
  }

  function post(): void {
    if (request.length === 0) return;
    worker?.postMessage(request);
    request = [];
  }

  return {
    write(job) {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (pending.size >= maxQueueLength) return Promise.reject(new QueueFullError(pending.size));
      worker ??= startWorker();
      if (pending.size === 0) worker.ref();
      return new Promise((resolve, reject) => {
        // The response with this number belongs to this job.
        const id = pending.add({ resolve, reject });
        request.push([id, encodeJob(job)]);
        if (request.length === 1) setImmediate(post);
        if (request.length === messageSize) post();
      });
    },
    waiting: () => pending.size,
    /** Resolves after the worker has committed or rejected its jobs. */
    async close(): Promise<void> {
      closed = true;
      post();
      if (worker === undefined) return;
      worker.ref();
      const exited = once(worker, 'exit');
      worker.postMessage('close');
      await exited;
    },
  };
}
