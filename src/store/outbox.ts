import type { Kysely } from 'kysely';
import type { Outbox } from '../outbox/outbox.ts';
import type { Connection } from './dialect.ts';
import { firstDue } from './outbox-writes.ts';
import { constant, run } from './statement.ts';
import type { Tables } from './tables.ts';
import type { Write } from './writes.ts';

/** The outbox over SQL. */
export function sqlOutbox(db: Kysely<Tables>, reading: Connection, write: Write): Outbox {
  return {
    async claim(now, leaseUntil, limit) {
      // The usual case is that nothing is due; it costs no transaction.
      if ((await firstDue(db, reading, now)) === undefined) return [];
      return write('claim', now, leaseUntil, limit);
    },
    done: (effects, now) => write('done', effects, now),
    retry: (effects, dueAt, reason) => write('retry', effects, dueAt, reason),
    split: (effects, reason) => write('split', effects, reason),
    bury: (effects, now, reason) => write('bury', effects, now, reason),
    wake: (now) => write('wake', now),

    async nextDueAt() {
      const [next] = await run(
        reading,
        db.selectFrom('effects').select('due_at').where('state', '=', constant('waiting')).orderBy('due_at').limit(1),
      );
      return next?.due_at ?? null;
    },

    async sizes() {
      // One at a time, so that each is counted in an index of its own and never in the table of all that was ever done.
      const size = async (state: 'waiting' | 'buried') => {
        const count = db.selectFrom('effects').select(db.fn.countAll<number>().as('count'));
        const [row] = await run(reading, count.where('state', '=', constant(state)));
        return row?.count ?? 0;
      };
      return { waiting: await size('waiting'), buried: await size('buried') };
    },
  };
}
