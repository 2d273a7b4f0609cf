import { runWriteWorker } from '../core/store/commits/run-write-worker.ts';
import { sqlModules } from './sql-modules.ts';

/* Entry file of the worker thread that commits to SQLite. */

await runWriteWorker(sqlModules);
