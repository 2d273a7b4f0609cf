import { day as dayMs, hour } from '@tallyhook/platform/durations';
import { sql } from 'kysely';
import { partsOf } from '../../ledger/account.ts';
import { queuesOfType } from '../../outbox/queue.ts';
import { parseIdentities } from '../../tally/listing-context.ts';
import { literal } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

/** The size and age of a database's contents. Times are ms since the epoch. */
export interface DatabaseContents {
  readonly entries: number;
  /** The number of accounts. */
  readonly users: number;
  readonly lastDeliveryAt: number | null;
}

export async function contentsOf({ db, run }: Snapshot): Promise<DatabaseContents> {
  const count = db.fn.countAll<number>().as('count');
  const [entries] = await run(db.selectFrom('entries').select(count));
  const [users] = await run(db.selectFrom('balances').select(count));
  // Ids grow in the order of receipt.
  const [last] = await run(db.selectFrom('deliveries').select('received_at').orderBy('id', 'desc').limit(1));
  return { entries: entries?.count ?? 0, users: users?.count ?? 0, lastDeliveryAt: last?.received_at ?? null };
}

/** The time of the last delivery (ms since the epoch) by listing name. Listings without deliveries are missing. */
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

/** The body of the last delivery that has one, by listing name. Listings without deliveries are missing. */
export async function lastBodies(
  { db, run }: Snapshot,
  listings: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const bodies = new Map<string, string>();
  for (const listing of listings) {
    const ofListing = db.selectFrom('deliveries').select('body').where('listing', '=', listing).where('body', '<>', '');
    const [last] = await run(ofListing.orderBy('id', 'desc').limit(1));
    if (last !== undefined) bodies.set(listing, last.body);
  }
  return bodies;
}

export interface Backlog {
  /** The number of waiting effects. */
  readonly waiting: number;
  /** When the oldest waiting effect was stored (ms since the epoch); null without waiting effects. */
  readonly waitingSince: number | null;
  /** The number of effects that failed permanently. */
  readonly buried: number;
  /** Why the newest buried effect failed; null without buried effects. */
  readonly lastReason: string | null;
  /** The number of quarantined deliveries. */
  readonly quarantined: number;
}

/** The waiting and the failed work, but for requests to endpoints, which may wait for days. */
export async function backlogOf({ db, run }: Snapshot): Promise<Backlog> {
  const count = db.fn.countAll<number>().as('count');
  const effects = db.selectFrom('effects').where('queue', 'not like', queuesOfType('webhook'));
  const [waiting] = await run(
    effects.select(({ fn }) => [count, fn.min('created_at').as('since')]).where('state', '=', literal('waiting')),
  );
  const buriedEffects = effects.where('state', '=', literal('buried'));
  const [buriedCount] = await run(buriedEffects.select(count));
  const [last] = await run(buriedEffects.select('reason').orderBy('id', 'desc').limit(1));
  const quarantinedDeliveries = db.selectFrom('deliveries').select(count).where('outcome', '=', literal('quarantined'));
  const [quarantinedCount] = await run(quarantinedDeliveries.where('outcome', '<>', literal('recorded')));
  return {
    waiting: waiting?.count ?? 0,
    waitingSince: waiting?.since ?? null,
    buried: buriedCount?.count ?? 0,
    lastReason: last?.reason ?? null,
    quarantined: quarantinedCount?.count ?? 0,
  };
}

/** The ids of deliveries that were recorded for another community than the one whose secret has authenticated them. */
export async function foreignRecordings({ db, run }: Snapshot): Promise<readonly number[]> {
  const paid = await run(
    db
      .selectFrom('deliveries')
      .innerJoin('entries', 'entries.delivery_id', 'deliveries.id')
      .select(['deliveries.id', 'deliveries.origin', 'entries.account_id'])
      .where('origin', 'is not', null)
      .orderBy('deliveries.id'),
  );
  const foreign = paid.filter((row) => {
    const { communityId } = partsOf(row.account_id);
    return parseIdentities(row.origin)?.every((identity) => identity.communityId !== communityId) === true;
  });
  return [...new Set(foreign.map(({ id }) => id))];
}

/** The number of achievements that were paid more than once, and the first few. One scan of the entries. */
export async function repeatedAchievements({ db, run }: Snapshot) {
  const rows = await run(
    db
      .selectFrom('entries')
      .select(({ fn }) => ['account_id', 'achievement', fn.countAll<number>().as('entries')])
      .select(sql<number>`count(*) over ()`.as('count'))
      .where('achievement', 'is not', null)
      .groupBy(['account_id', 'achievement'])
      .having(({ fn }) => fn.countAll(), '>', literal(1))
      .orderBy('account_id')
      .limit(5),
  );
  const first = rows.map(({ account_id: accountId, achievement, entries }) => {
    return { accountId, achievement: achievement ?? '', entries };
  });
  return { count: rows[0]?.count ?? 0, first };
}

/** The number of roles that Discord does not match, by role (Discord ID), most first. */
export async function parkedRoles({ db, run }: Snapshot): Promise<ReadonlyMap<string, number>> {
  const rows = await run(
    db
      .selectFrom('grants')
      .select(({ fn }) => ['role', fn.countAll<number>().as('count')])
      .where('state', '=', literal('parked'))
      .groupBy('role')
      .orderBy('count', 'desc'),
  );
  return new Map(rows.map(({ role, count }) => [role, count]));
}

/** Outages of at least six hours in the last 30 days: their number, and the time of the latest end (ms since the epoch). */
export async function longOutages({ db, run }: Snapshot, now: number) {
  const [row] = await run(
    db
      .selectFrom('outages')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('until_at').as('last')])
      .where('until_at', '>', now - 30 * dayMs)
      .where(sql<number>`until_at - from_at`, '>=', 6 * hour),
  );
  return { count: row?.count ?? 0, last: row?.last ?? null };
}
