import { runWriteWorker } from '../core/store/commits/run-write-worker.ts';
import { storedFeatures } from './index.ts';

/* Entry file of the worker thread that commits to SQLite. */

await runWriteWorker(storedFeatures);
