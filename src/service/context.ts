import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from './storage/database.ts';

/** What the parts of a running service have in common. */
export interface ServiceContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}
