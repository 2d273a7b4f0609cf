import type { Kysely } from 'kysely';
import { maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { firstDue, firstInLine, nothing } from '../writes/outbox.ts';
import type { Write } from '../writes/writes.ts';

/** The outbox over SQL. */
export function sqlOutbox(db: Kysely<Tables>, reading: Connection, write: Write): Outbox {
  return {
    async claim(now, leaseUntil, limit, except = nothing) {
      // The usual case is that nothing is due; it costs no transaction.
      if ((await firstDue(db, reading, now, except)) === undefined && !(await recalled(now))) return [];
      return write('claim', now, leaseUntil, limit, except);
    },
    done: (effects, now) => write('done', effects, now),
    retry: (effects, dueAt, reason) => write('retry', effects, dueAt, reason),
    release: (effects, dueAt, reason) => write('release', effects, dueAt, reason),
    split: (effects, reason) => write('split', effects, reason),
    bury: (effects, now, reason) => write('bury', effects, now, reason),
    giveUp: (effects, now, reason) => write('giveUp', effects, now, reason),
    wake: (now) => write('wake', now),

    async nextDueAt() {
      const [next] = await run(reading, firstInLine(db).select('due_at'));
      return next?.due_at ?? null;
    },

    async waitingSince(now) {
      const [first] = await run(reading, firstInLine(db).select('created_at'));
      if (first === undefined) return null;
      const [putOff] = await run(
        reading,
        db
          .selectFrom('effects')
          .select(({ fn }) => fn.min<number | null>('created_at').as('since'))
          .where('state', '=', literal('waiting'))
          .where('due_at', '>', now),
      );
      return Math.min(first.created_at, putOff?.since ?? first.created_at);
    },

    async sizes() {
      // One at a time, so that each is counted in an index of its own and never in the table of all that was ever done.
      const size = async (state: 'waiting' | 'buried') => {
        const count = db.selectFrom('effects').select(db.fn.countAll<number>().as('count'));
        const [row] = await run(reading, count.where('state', '=', literal(state)));
        return row?.count ?? 0;
      };
      return { waiting: await size('waiting'), buried: await size('buried') };
    },
  };

  /** Whether something was due further ahead than anything may be, and is due now. */
  async function recalled(now: number): Promise<boolean> {
    const waiting = db.selectFrom('effects').select('due_at').where('state', '=', literal('waiting'));
    const [last] = await run(reading, waiting.orderBy('due_at', 'desc').limit(1));
    if (last === undefined || last.due_at <= now + maxDueAheadMs) return false;
    await write('recall', now);
    return true;
  }
}
