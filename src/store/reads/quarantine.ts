import type { Kysely } from 'kysely';
import type { Quarantine } from '../../tally/quarantine-log.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The quarantine over SQL, along the index of unusual outcomes. */
export function sqlQuarantine(db: Kysely<Tables>, reading: Connection): Quarantine {
  return {
    async keptFor(reason, { after, limit }) {
      const kept = db
        .selectFrom('deliveries')
        .select(['id', 'received_at as receivedAt', 'family', 'listing', 'body'])
        .where('outcome', '=', literal('quarantined'))
        .where('outcome', '<>', literal('recorded'))
        .where('reason', '=', reason)
        .where('id', '>', after);
      const rows = await run(reading, kept.orderBy('id').limit(limit));
      return rows.map((row) => ({ ...row, outcome: 'quarantined' }));
    },
  };
}
