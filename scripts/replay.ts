/**
 * Records the sandbox, and writes its page with the recording in the place of the server, for the site.
 *
 *   node scripts/replay.ts [folder]
 *
 * The folder is site/dist/try unless given. Exits with 1 if the recording is too large.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildReplay } from './replay/build.ts';
import { record, votes } from './replay/record.ts';

/** Of the recording (bytes). */
const maxSize = 500 * 1024;

const folder = process.argv[2] ?? join('site', 'dist', 'try');
await buildReplay(folder, await record(votes, (line) => console.log(`Recorded: ${line}`)));
const { size } = await stat(join(folder, 'recording.json'));
console.log(`${folder}: a recording of ${Math.round(size / 1024)} KB`);
if (size > maxSize) {
  console.error(`The recording is larger than ${maxSize / 1024} KB.`);
  process.exitCode = 1;
}
