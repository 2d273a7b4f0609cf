import { systemClock } from '../../../src/platform/clock.ts';
import { openStore } from '../../../src/store/store.ts';

/*
 * Upgrades the database at the URL in the first argument. Prints a line after each transaction, so that a test can kill
 * it at any point.
 */
const [url = ''] = process.argv.slice(2);
const store = await openStore(url, systemClock, {
  thread: false,
  onMigration: ({ migration, step, rows }) => process.stdout.write(`${migration} ${step} ${rows}\n`),
});
await store.close();
process.stdout.write('upgraded\n');
