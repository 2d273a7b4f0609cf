import type { Sql } from './database.ts';

/** The clock was set back by `ms` while the queue ran, to `now`: what was put off moves along. Holds are for `lease` (ms) at most. */
export async function moveAlong(
  sql: Sql,
  { ms, now, lease }: { ms: number; now: number; lease: number },
): Promise<void> {
  const waiting = sql.updateTable('deliveries').where('state', '=', 'waiting');
  await waiting
    .where('next_attempt_at', '>', now)
    .set((set) => ({ next_attempt_at: set('next_attempt_at', '-', ms) }))
    .execute();
  // A shorter hold may be one of another process, which has noticed before.
  await waiting
    .where('leased_until', '>', now + lease)
    .set((set) => ({ leased_until: set('leased_until', '-', ms) }))
    .execute();
}

/** The clock may have been set back while nobody ran, nobody knows by how much: what was put off by times to come is due `now`. */
export async function recall(sql: Sql, { now, lease }: { now: number; lease: number }): Promise<void> {
  const waiting = sql.updateTable('deliveries').where('state', '=', 'waiting');
  await waiting
    .where('next_attempt_at', '>', now)
    .where((row) =>
      row.or([
        row('attempts', '=', 0),
        row.exists(
          row
            .selectFrom('attempts')
            .select('attempts.id')
            .whereRef('attempts.delivery_id', '=', 'deliveries.id')
            .where('attempts.at', '>', now),
        ),
      ]),
    )
    .set({ next_attempt_at: now })
    .execute();
  await waiting
    .where('leased_until', '>', now + lease)
    .set({ leased_until: null })
    .execute();
}
