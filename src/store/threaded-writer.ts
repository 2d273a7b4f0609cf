import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Writer, Written } from './writer.ts';

/** `.ts` here, `.js` in the package. */
const firstFile = new URL(`./writing-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Writes to a SQLite file on a thread of its own, so that neither the disk nor a lock ever holds up what else this process does, and
 * deliveries are read and verified while others are being committed. Batches cross over whole, so crossing costs little.
 * Should the thread end by a fault, what it was doing counts as not written and the next batch starts another one.
 */
export function threadedWriter(path: string): Writer {
  let thread: Worker | undefined = started();
  let settle: ((written: Written) => void) | undefined;

  function started(): Worker {
    // It needs no settings: they hold secrets.
    const worker = new Worker(firstFile, { workerData: path, env: {} });
    const lost = (cause: Error) => {
      if (thread === worker) thread = undefined;
      settle?.({ is: 'unavailable', cause });
    };
    worker.on('message', (written: Written) => settle?.(written));
    worker.on('error', lost);
    worker.on('exit', (code) => lost(new Error(`The thread that writes to the database has ended (${code}).`)));
    worker.unref();
    return worker;
  }

  return {
    commit(batch) {
      thread ??= started();
      const worker = thread;
      return new Promise((resolve) => {
        settle = (written) => {
          settle = undefined;
          worker.unref();
          resolve(written);
        };
        worker.ref();
        worker.postMessage(batch);
      });
    },
    async close() {
      if (thread === undefined) return;
      const ended = once(thread, 'exit');
      thread.ref();
      thread.postMessage('close');
      await ended;
    },
  };
}
