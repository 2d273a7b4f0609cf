import { type Kysely, sql } from 'kysely';
import { literal } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Subtracts waiting effects that will be deleted from the counter. */
export function uncountWaiting(db: Kysely<Tables>, ids: readonly number[]) {
  const waiting = db.selectFrom('effects').where('id', 'in', ids).where('state', '=', literal('waiting'));
  const counted = waiting
    .where((eb) => eb('id', '<', db.selectFrom('counters').select('value').where('name', '=', 'effects below')))
    .select(({ fn }) => fn.countAll<number>().as('count'));
  return db
    .updateTable('counters')
    .set((eb) => ({ value: eb('value', '-', counted) }))
    .where('name', '=', 'effects');
}

/** SQLite uses the id of a deleted effect again if it was the newest one. */
export function countAgainFromNewest(db: Kysely<Tables>) {
  const next = sql<number>`(select coalesce(max(id), -1) + 1 from effects)`;
  return db.updateTable('counters').set({ value: next }).where('name', '=', 'effects below').where('value', '>', next);
}
