import { run } from '../../core/store/query-builder.ts';
import { selectCorrections, toCorrection } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { StoredCorrection } from '../../core/tally/tally.ts';

export const reads = {
  /** The correction with this idempotency key; null if there is none. */
  async find({ db, connection }: Sql, idempotencyKey: string): Promise<StoredCorrection | null> {
    const [row] = await run(connection, selectCorrections(db, [idempotencyKey]));
    return row === undefined ? null : toCorrection(row);
  },
};

/** Corrections are recorded as events are: see `record-correction.ts`. */
export const writes = {};
