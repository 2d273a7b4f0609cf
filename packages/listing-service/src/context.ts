import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Database } from './storage/database.ts';

/** Dependencies that all parts of a running service share. */
export interface ServiceContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}
