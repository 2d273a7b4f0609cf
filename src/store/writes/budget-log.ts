import type { Kysely } from 'kysely';
import { type BudgetStore, maxClockSkewMs } from '../../lookup/budget.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** The record of departed requests, inside a transaction of `connection`: it holds over restarts and for all processes. */
export function budgetLogIn(db: Kysely<Tables>, connection: Connection): Pick<BudgetStore, 'acquire'> {
  return {
    async acquire(keyId, at, window, limit, setBack = 0) {
      const ofKey = db.deleteFrom('lookup_requests').where('key_id', '=', keyId);
      await run(connection, ofKey.where('at', '<=', at - 2 * window));
      const ahead = db
        .updateTable('lookup_requests')
        .where('key_id', '=', keyId)
        .where('at', '>', at + maxClockSkewMs);
      await run(connection, ahead.where('at', '>', at + setBack).set({ at }));
      await run(
        connection,
        ahead.set((eb) => ({ at: eb('at', '-', setBack) })),
      );
      const [decisive] = await run(
        connection,
        db
          .selectFrom('lookup_requests')
          .select('at')
          .where('key_id', '=', keyId)
          .where('at', '>', at - window)
          .orderBy('at', 'desc')
          .offset(limit - 1)
          .limit(1),
      );
      if (decisive !== undefined) return { granted: false, retryAt: decisive.at + window };
      await run(connection, db.insertInto('lookup_requests').values({ key_id: keyId, at }));
      return { granted: true };
    },
  };
}

/** How many departures of a key lie after `since` (ms since the epoch). */
export async function spentSince(
  db: Kysely<Tables>,
  connection: Connection,
  keyId: string,
  since: number,
): Promise<number> {
  const ofKey = db.selectFrom('lookup_requests').where('key_id', '=', keyId).where('at', '>', since);
  const [row] = await run(connection, ofKey.select(db.fn.countAll<number>().as('count')));
  return row?.count ?? 0;
}
