import type { InvalidRequestStore } from '../../../discord/invalid-requests.ts';
import { increase, run } from '../query-builder.ts';
import type { SqlOperations } from '../sql-module.ts';

/* Counts of requests that Discord rejected. */

/** Minutes after which a count is deleted. */
const keptMinutes = 60;

export const reads: SqlOperations<Pick<InvalidRequestStore, 'sum'>> = {
  async sum({ db, connection }, from, until) {
    const counts = db.selectFrom('invalid_requests').where('minute', '>=', from).where('minute', '<=', until);
    const [row] = await run(connection, counts.select(db.fn.sum<number | null>('count').as('sum')));
    return Number(row?.sum ?? 0);
  },
};

export const writes: SqlOperations<Pick<InvalidRequestStore, 'add'>> = {
  async add(sql, minute, count) {
    await run(sql.connection, sql.db.deleteFrom('invalid_requests').where('minute', '<', minute - keptMinutes));
    await increase(sql, 'invalid_requests', { minute }, { count });
  },
};
