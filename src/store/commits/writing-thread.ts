import { on } from 'node:events';
import { parentPort as port, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import type { DatabaseFiles } from '../../database-file/files.ts';
import { sqlite } from '../dialect/sqlite.ts';
import { type Answered, type Asked, failed, fulfilled, unpacked } from './crossing.ts';
import { createGroupCommit } from './group-commit.ts';
import { createWriter } from './writer.ts';

/* The first file of the thread that `threaded-commits.ts` starts: writes in, what became of them out, until the word to close. */

if (port === null) throw new Error('This file is a thread; it is not to be run by itself.');

const files = workerData as DatabaseFiles;
const dialect = sqlite(files.path, files);
// How many may wait is watched where they come from.
const commits = createGroupCommit(createWriter(dialect), systemClock, Number.POSITIVE_INFINITY);
let answers: Answered[number][] = [];

/** What was committed together crosses together. */
function answer(answered: Answered[number]): void {
  answers.push(answered);
  if (answers.length > 1) return;
  setImmediate(() => {
    port?.postMessage(answers);
    answers = [];
  });
}

for await (const [message] of on(port, 'message')) {
  const asked = message as Asked | 'close';
  if (asked === 'close') break;
  for (const [number, crossed] of asked) {
    const job = unpacked(crossed);
    commits.write(job.name, ...(job.args as never)).then(
      (result) => answer([number, fulfilled(job, result)]),
      (error: unknown) => answer([number, failed(error)]),
    );
  }
}
await commits.close();
await dialect.close();
// After the last answers, which are waiting for this turn to end.
setImmediate(() => port?.close());
