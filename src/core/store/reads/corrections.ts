import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { StoredCorrection } from '../../tally/tally.ts';
import { run } from '../query-builder.ts';
import { selectCorrections, toCorrection } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';

/** The correction with this key; null if there is none. Rejects with the driver's error. */
export async function findCorrection(
  db: Kysely<Tables>,
  reading: Connection,
  idempotencyKey: string,
): Promise<StoredCorrection | null> {
  const [row] = await run(reading, selectCorrections(db, [idempotencyKey]));
  return row === undefined ? null : toCorrection(row);
}
