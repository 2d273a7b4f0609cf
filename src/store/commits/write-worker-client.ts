import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DatabaseFiles } from '../../platform/database-files.ts';
import { StoreUnavailableError } from '../../platform/errors.ts';
import { type GroupCommit, QueueFullError } from './group-commit.ts';
import { decodeResult, encodeJob, type WorkerRequest, type WorkerResponse } from './worker-protocol.ts';

/**
 * So many cross at once, without waiting for the rest of their turn: with all 64 of a turn each thread stands still while the other works
 * on them, and with fewer the commits cost more than the wait.
 */
const together = 24;

/** `.ts` here, `.js` in the package. */
const firstFile = new URL(`./write-worker${extname(import.meta.url)}`, import.meta.url);

interface Pending {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The group commit of a SQLite file on a thread of its own, so that neither the disk nor a lock ever holds up what else this process
 * does, and deliveries are read and verified while others are being committed. What is asked for in one turn of the event loop crosses
 * at its end at the latest. Should the thread end by a fault, what it had counts as not written, and the next write starts another one.
 */
export function startWriteWorker(files: DatabaseFiles, mostWaiting: number): GroupCommit {
  const pending = new Map<number, Pending>();
  let thread: Worker | undefined = started();
  let asked: WorkerRequest[number][] = [];
  let last = 0;
  let closed = false;

  function started(): Worker {
    // It needs no settings: they hold secrets.
    const worker = new Worker(firstFile, { workerData: files, env: {} });
    const lost = (cause: Error) => {
      if (thread !== worker) return;
      thread = undefined;
      asked = [];
      for (const { reject } of pending.values()) reject(new StoreUnavailableError(cause));
      pending.clear();
    };
    worker.on('message', (answered: WorkerResponse) => {
      for (const [number, outcome] of answered) settle(number, outcome);
      if (pending.size === 0) worker.unref();
    });
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`The thread that writes to the database has ended (${code}).`)));
    worker.unref();
    return worker;
  }

  function settle(number: number, outcome: WorkerResponse[number][1]): void {
    const waiting = pending.get(number);
    pending.delete(number);
    try {
      waiting?.resolve(decodeResult(outcome) as never);
    } catch (error) {
      waiting?.reject(error);
    }
  }

  function cross(): void {
    if (asked.length === 0) return;
    thread?.postMessage(asked);
    asked = [];
  }

  return {
    write(name, ...args) {
      if (closed) return Promise.reject(new StoreUnavailableError(new Error('The store is closed.')));
      if (pending.size >= mostWaiting) return Promise.reject(new QueueFullError(pending.size));
      thread ??= started();
      if (pending.size === 0) thread.ref();
      last += 1;
      asked.push([last, encodeJob({ name, args })]);
      if (asked.length === 1) setImmediate(cross);
      if (asked.length === together) cross();
      return new Promise((resolve, reject) => {
        pending.set(last, { resolve, reject });
      });
    },
    waiting: () => pending.size,
    async close() {
      closed = true;
      cross();
      if (thread === undefined) return;
      thread.ref();
      const ended = once(thread, 'exit');
      thread.postMessage('close');
      await ended;
    },
  };
}
