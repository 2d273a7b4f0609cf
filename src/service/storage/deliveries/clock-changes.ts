import type { Sql } from '../database.ts';

/**
 * Moves the times of waiting deliveries after the clock was set back by `stepMs`, to `now`, while the dispatcher was
 * running.
 * @param times.maxLeaseMs a lease that ends later was taken before the change
 */
export async function shiftDeliveryTimes(
  sql: Sql,
  { stepMs, now, maxLeaseMs }: { stepMs: number; now: number; maxLeaseMs: number },
): Promise<void> {
  const waiting = sql.updateTable('deliveries').where('state', '=', 'waiting');
  await waiting
    .where('next_attempt_at', '>', now)
    .set((set) => ({ next_attempt_at: set('next_attempt_at', '-', stepMs) }))
    .execute();
  // A shorter lease may belong to another process that already detected the change.
  await waiting
    .where('leased_until', '>', now + maxLeaseMs)
    .set((set) => ({ leased_until: set('leased_until', '-', stepMs) }))
    .execute();
}

/**
 * Makes deliveries due whose last activity has a timestamp after `now`: the clock was set back while no dispatcher was
 * running, by an unknown amount.
 * @param times.maxLeaseMs a lease that ends later was taken before the change
 */
export async function resetFutureDeliveries(
  sql: Sql,
  { now, maxLeaseMs }: { now: number; maxLeaseMs: number },
): Promise<void> {
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
    .where('leased_until', '>', now + maxLeaseMs)
    .set({ leased_until: null })
    .execute();
}
