import type { QuarantinedDelivery } from '../../tally/quarantine.ts';
import { literal, run } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';

/* Deliveries that are stored complete because they could not be processed. */

export const reads = {
  /** At most `limit` deliveries with this reason, by ascending ID, after the ID `after`. */
  async findByReason(
    { db, connection }: Sql,
    reason: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly QuarantinedDelivery[]> {
    const quarantined = db
      .selectFrom('deliveries')
      .select(['id', 'received_at as receivedAt', 'family', 'listing', 'body'])
      .where('outcome', '=', literal('quarantined'))
      // Redundant, but SQLite uses the partial index `deliveries_unusual` only if its condition is in the query.
      .where('outcome', '<>', literal('recorded'))
      .where('reason', '=', reason)
      .where('id', '>', after);
    const rows = await run(connection, quarantined.orderBy('id').limit(limit));
    return rows.map((row) => ({ ...row, outcome: 'quarantined' }));
  },
};

export const writes = {};

export type Quarantine = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
