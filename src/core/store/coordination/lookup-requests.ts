import { type BudgetStore, maxClockSkewMs } from '../../../lookup/budget.ts';
import { lock } from '../lock.ts';
import { run } from '../query-builder.ts';
import type { SqlOperations } from '../sql-module.ts';

/* The log of requests to the lookup API. It survives restarts and all processes share it. */

export const reads: SqlOperations<Pick<BudgetStore, 'spent'>> = {
  async spent({ db, connection }, keyId, since) {
    const ofKey = db.selectFrom('lookup_requests').where('key_id', '=', keyId).where('at', '>', since);
    const [row] = await run(connection, ofKey.select(db.fn.countAll<number>().as('count')));
    return row?.count ?? 0;
  },
};

export const writes: SqlOperations<Pick<BudgetStore, 'acquire'>> = {
  async acquire({ db, connection }, keyId, at, window, limit, setBack = 0) {
    await lock(connection, db, `budget of ${keyId}`);
    const ofKey = db.deleteFrom('lookup_requests').where('key_id', '=', keyId);
    await run(connection, ofKey.where('at', '<=', at - 2 * window));
    // Requests with times in the future were logged before the clock was set back.
    const requests = db.updateTable('lookup_requests').where('key_id', '=', keyId);
    const future = requests.where('at', '>', at + maxClockSkewMs);
    await run(connection, future.where('at', '>', at + setBack).set({ at }));
    const shifted = future.set((eb) => ({ at: eb('at', '-', setBack) }));
    await run(connection, shifted);
    const newest = db.selectFrom('lookup_requests').select('at').where('key_id', '=', keyId).orderBy('at', 'desc');
    const inWindow = newest.where('at', '>', at - window).offset(limit - 1);
    const [limiting] = await run(connection, inWindow.limit(1));
    if (limiting !== undefined) return { granted: false, retryAt: limiting.at + window };
    await run(connection, db.insertInto('lookup_requests').values({ key_id: keyId, at }));
    return { granted: true };
  },
};
