import type { DatabaseSnapshot } from '../../../platform/database/snapshots/snapshot.ts';
import type { Tables } from '../tables.ts';

/** A snapshot of the bot's database. */
export type Snapshot = DatabaseSnapshot<Tables>;
