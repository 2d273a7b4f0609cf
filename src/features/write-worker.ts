import { on } from 'node:events';
import { parentPort as port, workerData } from 'node:worker_threads';
import { systemClock } from '@tallyhook/platform/clock';
import type { DatabaseFiles } from '@tallyhook/platform/database-files';
import {
  createGroupCommit,
  createJobDecoder,
  createWriter,
  encodeError,
  encodeResult,
  type WorkerRequest,
  type WorkerResponse,
} from '../core/store/commits/group-commit.ts';
import { sqlite } from '../core/store/dialect/sqlite.ts';
import type { StoredFeatures } from '../core/store/sql-module.ts';
import { storedFeatures } from './index.ts';

/* Entry file of the worker thread that commits to SQLite. */

await runWriteWorker(storedFeatures);

/** Commits jobs until it receives `close`, in the thread that `write-worker-client.ts` starts. */
async function runWriteWorker(features: StoredFeatures): Promise<void> {
  if (port === null) throw new Error('This file must be started as a worker thread.');
  const files = workerData as DatabaseFiles;
  const dialect = sqlite(files.path, files);
  const writer = createWriter(dialect, systemClock, features);
  // The client limits the length of the queue.
  const commits = createGroupCommit([writer], systemClock, Number.POSITIVE_INFINITY);
  const decodeJob = createJobDecoder();
  let response: WorkerResponse[number][] = [];

  /** Results of one commit are sent in one message. */
  function respond(result: WorkerResponse[number]): void {
    response.push(result);
    if (response.length > 1) return;
    setImmediate(() => {
      port?.postMessage(response);
      response = [];
    });
  }

  for await (const [message] of on(port, 'message')) {
    const request = message as WorkerRequest | 'close';
    if (request === 'close') break;
    for (const [id, encoded] of request) {
      const job = decodeJob(encoded);
      commits.write(job).then(
        (result) => respond([id, encodeResult(job, result)]),
        (error: unknown) => respond([id, encodeError(error)]),
      );
    }
  }
  await commits.close();
  await dialect.close();
  // The last response is sent at the end of this turn.
  setImmediate(endThread);
}

/** The port of Deno cannot be closed; there `exit` ends the thread alone, as it does in Node. */
function endThread(): void {
  if (port !== null && 'close' in port) port.close();
  else process.exit();
}
