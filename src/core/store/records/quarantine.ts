import { parseIdentities } from '../../tally/listing-context.ts';
import type { QuarantinedDelivery } from '../../tally/write-event.ts';
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
      .select(quarantineColumns)
      .where('outcome', '=', literal('quarantined'))
      // Redundant, but SQLite uses the partial index `deliveries_unusual` only if its condition is in the query.
      .where('outcome', '<>', literal('recorded'))
      .where('reason', '=', reason)
      .where('id', '>', after);
    const rows = await run(connection, quarantined.orderBy('id').limit(limit));
    return rows.map(toQuarantined);
  },
};

/** The columns of {@link toQuarantined}. */
export const quarantineColumns = [
  ...['id', 'received_at as receivedAt', 'family', 'listing', 'kind', 'user_id as userId', 'body', 'origin'],
] as const satisfies readonly string[];

export function toQuarantined({
  origin,
  ...row
}: Omit<QuarantinedDelivery, 'origin' | 'outcome'> & { readonly origin: string | null }): QuarantinedDelivery {
  return { ...row, origin: parseIdentities(origin) ?? [], outcome: 'quarantined' };
}

export const writes = {};

export type Quarantine = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
