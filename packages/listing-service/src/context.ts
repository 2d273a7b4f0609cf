import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Database } from './storage/database.ts';

/** What the parts of a running service have in common. */
export interface ServiceContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}
