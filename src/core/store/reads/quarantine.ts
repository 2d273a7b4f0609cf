import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { Quarantine } from '../../tally/quarantine.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The quarantine port over SQL. */
export function sqlQuarantine(db: Kysely<Tables>, reading: Connection): Quarantine {
  return {
    async findByReason(reason, { after, limit }) {
      const quarantined = db
        .selectFrom('deliveries')
        .select(['id', 'received_at as receivedAt', 'family', 'listing', 'body'])
        .where('outcome', '=', literal('quarantined'))
        // Redundant, but SQLite uses the partial index `deliveries_unusual` only if its condition is in the query.
        .where('outcome', '<>', literal('recorded'))
        .where('reason', '=', reason)
        .where('id', '>', after);
      const rows = await run(reading, quarantined.orderBy('id').limit(limit));
      return rows.map((row) => ({ ...row, outcome: 'quarantined' }));
    },
  };
}
