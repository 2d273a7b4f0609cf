import { literal } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

/** What a database holds, in figures. Moments are ms since the epoch. */
export interface DatabaseContents {
  readonly entries: number;
  /** Those who have a balance. */
  readonly users: number;
  readonly lastDeliveryAt: number | null;
}

export async function contentsOf({ db, run }: Snapshot): Promise<DatabaseContents> {
  const count = db.fn.countAll<number>().as('count');
  const [entries] = await run(db.selectFrom('entries').select(count));
  const [users] = await run(db.selectFrom('balances').select(count));
  // Deliveries are numbered in the order in which they came.
  const [last] = await run(db.selectFrom('deliveries').select('received_at').orderBy('id', 'desc').limit(1));
  return { entries: entries?.count ?? 0, users: users?.count ?? 0, lastDeliveryAt: last?.received_at ?? null };
}

/** When the last delivery for each listing came (ms since the epoch), by the listing's name; a listing that had none is not in it. */
export async function lastDeliveries({ db, run }: Snapshot): Promise<ReadonlyMap<string, number>> {
  const rows = await run(
    db
      .selectFrom('deliveries')
      .select(({ fn }) => ['listing', fn.max('received_at').as('last')])
      .where('listing', 'is not', null)
      .groupBy('listing'),
  );
  return new Map(rows.map(({ listing, last }) => [listing ?? '', last]));
}

export interface Backlog {
  /** Effects, as are the buried ones. */
  readonly waiting: number;
  /** Since when the oldest of them waits (ms since the epoch); null when none does. */
  readonly waitingSince: number | null;
  readonly buried: number;
  /** Why the newest of them was buried; null when none is. */
  readonly lastReason: string | null;
  /** Deliveries that were kept but not understood. */
  readonly quarantined: number;
}

/** What is still to be done, and what could not be. */
export async function backlogOf({ db, run }: Snapshot): Promise<Backlog> {
  const count = db.fn.countAll<number>().as('count');
  const effects = db.selectFrom('effects');
  const [waiting] = await run(
    effects.select(({ fn }) => [count, fn.min('created_at').as('since')]).where('state', '=', literal('waiting')),
  );
  const buried = effects.where('state', '=', literal('buried'));
  const [graves] = await run(buried.select(count));
  const [last] = await run(buried.select('reason').orderBy('id', 'desc').limit(1));
  const quarantined = db.selectFrom('deliveries').select(count).where('outcome', '=', literal('quarantined'));
  const [kept] = await run(quarantined.where('outcome', '<>', literal('recorded')));
  return {
    waiting: waiting?.count ?? 0,
    waitingSince: waiting?.since ?? null,
    buried: graves?.count ?? 0,
    lastReason: last?.reason ?? null,
    quarantined: kept?.count ?? 0,
  };
}
