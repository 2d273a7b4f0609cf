import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { DayVotes, GrantSummary, ParkedGrant } from '../../owner/reward-records.ts';
import { day as dayMs } from '../../platform/durations.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseContent } from '../json-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Rows that one query reads: a few ms, in which SQLite blocks this thread. */
const rowsPerQuery = 10_000;
const daysShown = 30;
const maxParked = 50;
/** Buried effects in which the reasons of parked roles are searched. */
const maxBuried = 200;

/** Recorded votes by day of receipt (UTC), oldest first. Scans the newest deliveries. @param now ms since the epoch */
export async function votesPerDay(db: Kysely<Tables>, reading: Connection, now: number): Promise<readonly DayVotes[]> {
  const today = Math.floor(now / dayMs);
  const first = today - daysShown + 1;
  const counts = new Map<number, number>();
  const dayOf = sql<number>`received_at / ${sql.lit(dayMs)}`;
  const bounds = db.selectFrom('deliveries').select(({ fn }) => [fn.min('id').as('min'), fn.max('id').as('max')]);
  const [range] = await run(reading, bounds);
  for (let upper = range?.max ?? 0; upper >= (range?.min ?? 1); upper -= rowsPerQuery) {
    const rows = await run(
      reading,
      db
        .selectFrom('deliveries')
        .select(({ fn }) => [dayOf.as('day'), fn.countAll<number>().as('votes')])
        .where('id', '<=', upper)
        .where('id', '>', upper - rowsPerQuery)
        .where('outcome', '=', literal('recorded'))
        .where('family', '=', literal('vote'))
        .groupBy(dayOf),
    );
    for (const { day, votes } of rows) counts.set(day, (counts.get(day) ?? 0) + votes);
    // Ids grow with time, except for some rows of processes side by side.
    if (rows.length > 0 && rows.every(({ day }) => day < first)) break;
    await nextTurn();
  }
  return Array.from({ length: daysShown }, (_, index) => {
    return { at: (first + index) * dayMs, votes: counts.get(first + index) ?? 0 };
  });
}

/** The number of grants by state, and some that Discord rejected, with the reason. Scans the grants. */
export async function summarizeGrants(db: Kysely<Tables>, reading: Connection): Promise<GrantSummary> {
  const counts = { pending: 0, applied: 0, parked: 0 };
  const parked: Omit<ParkedGrant, 'reason'>[] = [];
  let last: string | undefined = '';
  while (last !== undefined) {
    const grants = db.selectFrom('grants').select(['user_id', 'role', 'source', 'state']).where('user_id', '>', last);
    const page: readonly Pick<Tables['grants'], 'user_id' | 'role' | 'source' | 'state'>[] = await run(
      reading,
      grants.orderBy('user_id').limit(rowsPerQuery),
    );
    for (const { user_id: userId, role, source, state } of page) {
      counts[state] += 1;
      if (state === 'parked' && parked.length < maxParked) parked.push({ userId, role, source });
    }
    last = page.length < rowsPerQuery ? undefined : page.at(-1)?.user_id;
    await nextTurn();
  }
  const reasons = parked.length === 0 ? new Map<string, string>() : await reasonsOfRoles(db, reading);
  return {
    counts,
    parked: parked.map((grant) => ({ ...grant, reason: reasons.get(`${grant.userId} ${grant.role}`) ?? null })),
  };
}

/** Why the newest effects for roles failed, by user and role. */
async function reasonsOfRoles(db: Kysely<Tables>, reading: Connection): Promise<Map<string, string>> {
  const buried = await run(
    reading,
    db
      .selectFrom('effects')
      .select(['kind', 'content', 'reason'])
      .where('state', '=', literal('buried'))
      .orderBy('id', 'desc')
      .limit(maxBuried),
  );
  const reasons = new Map<string, string>();
  for (const { kind, content, reason } of buried.toReversed()) {
    const effect = parseContent(kind, content);
    if (effect.kind !== 'role') continue;
    const { userId, role } = effect.content;
    if (reason !== null) reasons.set(`${userId} ${role}`, reason);
  }
  return reasons;
}
