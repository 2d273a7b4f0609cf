import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { minute } from '../../../platform/durations.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** A longer time without a heartbeat is an outage (ms). */
const longestGapMs = 10 * minute;

/** Keeps track of when deliveries could be received, for use inside a transaction of `connection`. */
export function heartbeatWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** Notes that receiving works now (ms since the epoch). The time since the last heartbeat may have been an outage. */
    async beat(now: number): Promise<void> {
      const [last] = await run(connection, db.selectFrom('heartbeats').select('at').where('id', '=', 1));
      const insert = db.insertInto('heartbeats').values({ id: 1, at: now });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ at: now })),
      );
      if (last === undefined || now - last.at <= longestGapMs) return;
      const outage = db.insertInto('outages').values({ from_at: last.at, until_at: now });
      await run(
        connection,
        outage.onConflict((conflict) => conflict.column('from_at').doNothing()),
      );
    },
  };
}
