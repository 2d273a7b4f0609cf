import { day as dayMs, hour } from '@tallyhook/platform/durations';
import { sql } from 'kysely';
import { literal } from '../query-builder.ts';
import type { Snapshot } from './snapshot.ts';

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
