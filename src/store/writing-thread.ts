import { on } from 'node:events';
import { parentPort as port, workerData } from 'node:worker_threads';
import { sqlite } from './sqlite.ts';
import { createWriter } from './writer.ts';
import type { Job } from './writes.ts';

/* The first file of the thread that `threaded-writer.ts` starts: one batch in, what became of it out, until the word to close. */

if (port === null) throw new Error('This file is a thread; it is not to be run by itself.');

const dialect = sqlite(workerData as string);
const writer = createWriter(dialect);

for await (const [message] of on(port, 'message')) {
  const batch = message as readonly Job[] | 'close';
  if (batch === 'close') break;
  port.postMessage(await writer.commit(batch));
}
await dialect.close();
port.close();
