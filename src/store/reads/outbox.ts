import type { Kysely } from 'kysely';
import { maxDueAheadMs, type Outbox } from '../../outbox/outbox.ts';
import type { Connection } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { findFirstDue, firstWaiting, noFilter } from '../writes/outbox.ts';
import type { Write } from '../writes/writes.ts';

/** The outbox port over SQL. */
export function sqlOutbox(db: Kysely<Tables>, reading: Connection, write: Write): Outbox {
  return {
    async claim(now, leaseUntil, limit, filter = noFilter) {
      // Usually nothing is due; then no write transaction is needed.
      if ((await findFirstDue(db, reading, now, filter)) === undefined && !(await hasResetDueTimes(now))) return [];
      return write('claim', now, leaseUntil, limit, filter);
    },
    done: (effects, now) => write('done', effects, now),
    retry: (effects, dueAt, reason) => write('retry', effects, dueAt, reason),
    release: (effects, dueAt, reason) => write('release', effects, dueAt, reason),
    split: (effects, reason) => write('split', effects, reason),
    bury: (effects, now, reason) => write('bury', effects, now, reason),
    giveUp: (effects, now, reason) => write('giveUp', effects, now, reason),
    wake: (now) => write('wake', now),

    async nextDueAt() {
      const [first] = await run(reading, firstWaiting(db).select('due_at'));
      return first?.due_at ?? null;
    },

    async waitingSince(now) {
      // The oldest effect is either the first in the queue or has been postponed, so only those are read.
      const [first] = await run(reading, firstWaiting(db).select('created_at'));
      if (first === undefined) return null;
      const [postponed] = await run(
        reading,
        db
          .selectFrom('effects')
          .select(({ fn }) => fn.min<number | null>('created_at').as('since'))
          .where('state', '=', literal('waiting'))
          .where('due_at', '>', now),
      );
      return Math.min(first.created_at, postponed?.since ?? first.created_at);
    },

    async sizes() {
      // Two queries, because each can use its own partial index. One query would scan the table, with all effects ever
      // done.
      const sizeOf = async (state: 'waiting' | 'buried') => {
        const count = db.selectFrom('effects').select(db.fn.countAll<number>().as('count'));
        const [row] = await run(reading, count.where('state', '=', literal(state)));
        return row?.count ?? 0;
      };
      return { waiting: await sizeOf('waiting'), buried: await sizeOf('buried') };
    },
  };

  /** Makes effects due whose due time is too far ahead (see {@link maxDueAheadMs}). Returns whether there were any. */
  async function hasResetDueTimes(now: number): Promise<boolean> {
    const waiting = db.selectFrom('effects').select('due_at').where('state', '=', literal('waiting'));
    const [last] = await run(reading, waiting.orderBy('due_at', 'desc').limit(1));
    if (last === undefined || last.due_at <= now + maxDueAheadMs) return false;
    await write('resetDueTimes', now);
    return true;
  }
}
