import { run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/* Which kinds of handlers the processes have. Times are ms since the epoch. */

export const reads = {
  /** The kinds that were renewed at the time or later; also those of newer versions. */
  async renewedSince({ db, connection }: Sql, since: number): Promise<readonly string[]> {
    const kinds = db.selectFrom('handler_subscriptions').select('kind').where('renewed_at', '>=', since);
    return (await run(connection, kinds)).map(({ kind }) => kind);
  },
};

export const writes = {
  /** In the order of their names, so that no process waits for another in a circle. */
  async renew(sql: Sql, kinds: readonly string[], renewed_at: number): Promise<void> {
    for (const kind of kinds.toSorted()) await upsert(sql, 'handler_subscriptions', { kind }, { renewed_at });
  },
};

/** The kinds of handlers that processes have, in the database. */
export type StoredSubscriptions = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
