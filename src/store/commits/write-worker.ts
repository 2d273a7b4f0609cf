import { on } from 'node:events';
import { parentPort as port, workerData } from 'node:worker_threads';
import { systemClock } from '../../platform/clock.ts';
import type { DatabaseFiles } from '../../platform/database-files.ts';
import { sqlite } from '../dialect/sqlite.ts';
import { createGroupCommit } from './group-commit.ts';
import { decodeJob, encodeError, encodeResult, type WorkerRequest, type WorkerResponse } from './worker-protocol.ts';
import { createWriter } from './writer.ts';

/* The first file of the thread that `write-worker-client.ts` starts: writes in, what became of them out, until the word to close. */

if (port === null) throw new Error('This file is a thread; it is not to be run by itself.');

const files = workerData as DatabaseFiles;
const dialect = sqlite(files.path, files);
// How many may wait is watched where they come from.
const commits = createGroupCommit(createWriter(dialect), systemClock, Number.POSITIVE_INFINITY);
let answers: WorkerResponse[number][] = [];

/** What was committed together crosses together. */
function answer(answered: WorkerResponse[number]): void {
  answers.push(answered);
  if (answers.length > 1) return;
  setImmediate(() => {
    port?.postMessage(answers);
    answers = [];
  });
}

for await (const [message] of on(port, 'message')) {
  const asked = message as WorkerRequest | 'close';
  if (asked === 'close') break;
  for (const [number, crossed] of asked) {
    const job = decodeJob(crossed);
    commits.write(job.name, ...(job.args as never)).then(
      (result) => answer([number, encodeResult(job, result)]),
      (error: unknown) => answer([number, encodeError(error)]),
    );
  }
}
await commits.close();
await dialect.close();
// After the last answers, which are waiting for this turn to end.
setImmediate(() => port?.close());
