import { openDatabase } from '../../src/service/storage/database.ts';

/*
 * A process that upgrades a database, reports each transaction, and kills itself after some of them.
 * Arguments: the database, and after how many.
 */
const [database = '', limit = '0'] = process.argv.slice(2);
let transactions = -1;
const opened = await openDatabase(database, undefined, {
  onMigration() {
    process.stdout.write('.');
    transactions += 1;
    if (transactions >= Number(limit)) process.kill(process.pid, 'SIGKILL');
  },
});
await opened.destroy();
