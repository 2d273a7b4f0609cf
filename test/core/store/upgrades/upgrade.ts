import { openStore } from '../../../../src/features/store.ts';
import { systemClock } from '../../../../src/platform/clock.ts';

/*
 * Upgrades the database at the URL in the first argument. Prints a line before the first and after each transaction. With
 * a number as the second argument, it waits after one more line to be killed.
 */
const [url = '', maxLines] = process.argv.slice(2);
let lines = 0;
const store = await openStore(url, systemClock, {
  thread: false,
  onMigration({ migration, step, rows }) {
    process.stdout.write(`${migration} ${step} ${rows}\n`);
    lines += 1;
    if (lines > Number(maxLines ?? Number.POSITIVE_INFINITY))
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await store.close();
process.stdout.write('upgraded\n');
