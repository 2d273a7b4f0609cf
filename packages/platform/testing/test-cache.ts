import { join } from 'node:path';

/** What test runs leave for the next ones: bundles, each in a folder of its own, and an empty PostgreSQL cluster. */
export const testCache = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'tallyhook');
