import type { Kysely } from 'kysely';
import type { BudgetLog } from '../lookup/budget.ts';
import type { Connection } from './dialect.ts';
import type { InTransaction } from './outbox.ts';
import { run } from './statement.ts';
import type { Tables } from './tables.ts';

/** The record of departed requests, kept in the database: it holds over restarts and for all processes. */
export function sqlBudgetLog(
  db: Kysely<Tables>,
  reading: Connection,
  writing: Connection,
  inTransaction: InTransaction,
): BudgetLog {
  return {
    spend: (keyId, at, window, limit) =>
      inTransaction(async () => {
        const ofKey = db.deleteFrom('lookup_requests').where('key_id', '=', keyId);
        await run(writing, ofKey.where('at', '<=', at - 2 * window));
        const [decisive] = await run(
          writing,
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
        await run(writing, db.insertInto('lookup_requests').values({ key_id: keyId, at }));
        return { granted: true };
      }),

    async spent(keyId, since) {
      const ofKey = db.selectFrom('lookup_requests').where('key_id', '=', keyId).where('at', '>', since);
      const [row] = await run(reading, ofKey.select(db.fn.countAll<number>().as('count')));
      return row?.count ?? 0;
    },
  };
}
