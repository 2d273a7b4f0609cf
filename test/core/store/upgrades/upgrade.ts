import { systemClock } from '@tallyhook/platform/clock';
import { migrate } from '../../../../src/core/store/migrations/index.ts';
import { dialectAt } from '../../../support/dialect-at.ts';
import { nextMigrations } from './next-version.ts';

/*
 * Upgrades the database at the URL in the first argument to the next version. Prints a line before the first and after
 * each transaction. With a number as the second argument, it waits after one more line to be killed.
 */
const [url = '', maxLines] = process.argv.slice(2);
let lines = 0;
const dialect = dialectAt(url);
await migrate(dialect, systemClock, {
  all: nextMigrations(dialect),
  onProgress({ migration, step, rows }) {
    process.stdout.write(`${migration} ${step} ${rows}\n`);
    lines += 1;
    if (lines > Number(maxLines ?? Number.POSITIVE_INFINITY))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await dialect.close();
process.stdout.write('upgraded\n');
