import { setImmediate as nextTurn } from 'node:timers/promises';
import { hour } from '@tallyhook/platform/durations';
import type { Kysely, Selectable } from 'kysely';
import type { DeliveryFilter, DeliveryQuery } from '../../records/records.ts';
import { linkedEntries } from '../linked-entries.ts';
import { newestEntriesOf } from '../member-accounts.ts';
import { literal, run, type SqlAccess } from '../query-builder.ts';
import { deliveryColumns, type Tables } from '../tables.ts';

/** Rows that one query scans: a few ms, in which SQLite blocks this thread. */
const scanSize = 10_000;
/**
 * How far the order of ids and the order of times may differ: several processes receive deliveries, and a wrongly
 * configured clock goes back an hour at the end of summer time.
 */
const maxDisorderMs = 2 * hour;

/**
 * Deliveries that match the filter, newest first. Those of a user and those with an unusual outcome are found by index.
 * All others are found by scanning a range of ids; since ids grow with time, a time range becomes an id range by binary
 * search. So no further index slows down the receipt of a vote.
 */
export async function searchDeliveries(
  sql: SqlAccess,
  { limit, before, ...filter }: DeliveryQuery,
): Promise<Selectable<Tables['deliveries']>[]> {
  const { db, connection } = sql;
  const { outcome = null, userId = null, since = null, until = null } = filter;
  const { minId, maxId } = await idRange(sql);
  const floor = since === null ? minId : await firstIdAt(since - maxDisorderMs);
  const ceiling = until === null ? maxId + 1 : await firstIdAt(until + maxDisorderMs);
  const isIndexed = userId !== null || (outcome !== null && outcome !== 'recorded');
  const stepSize = isIndexed ? Number.POSITIVE_INFINITY : scanSize;
  const newestEntries = userId === null ? [] : await newestEntriesOf(sql, userId);
  const matches = matching(db, filter, newestEntries).orderBy('id', 'desc');

  const rows: Selectable<Tables['deliveries']>[] = [];
  let upper = Math.min(ceiling, before ?? ceiling);
  while (upper > floor && rows.length < limit) {
    const lower = Math.max(floor, upper - stepSize);
    const range = matches.where('id', '<', upper).where('id', '>=', lower);
    rows.push(...(await run(connection, range.limit(limit - rows.length))));
    upper = lower;
    await nextTurn();
  }
  return rows;

  /** The first id that was received at that time or later, by binary search. */
  async function firstIdAt(at: number): Promise<number> {
    let [low, high] = [minId, maxId + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = db.selectFrom('deliveries').select(['id', 'received_at']).where('id', '>=', middle);
      const [row] = await run(connection, next.orderBy('id').limit(1));
      if (row !== undefined && row.received_at < at) low = row.id + 1;
      else high = middle;
    }
    return low;
  }
}

async function idRange({ db, connection }: SqlAccess): Promise<{ minId: number; maxId: number }> {
  const ids = db.selectFrom('deliveries').select('id').limit(1);
  const [first] = await run(connection, ids.orderBy('id'));
  const [last] = await run(connection, ids.orderBy('id', 'desc'));
  return { minId: first?.id ?? 0, maxId: last?.id ?? -1 };
}

/**
 * SQLite uses the partial index of unusual outcomes only if its condition is in the query verbatim, hence the redundant
 * one.
 */
function matching(
  db: Kysely<Tables>,
  { outcome, kind, listing, listings, userId, since, until }: DeliveryFilter,
  newestEntries: readonly number[],
) {
  let query = db.selectFrom('deliveries').select(deliveryColumns);
  if (outcome) query = query.where('outcome', '=', literal(outcome));
  if (outcome && outcome !== 'recorded') query = query.where('outcome', '<>', literal('recorded'));
  if (kind) query = query.where('kind', '=', kind);
  if (listing) query = query.where('listing', '=', listing);
  if (listings) query = query.where('listing', 'in', listings);
  if (typeof since === 'number') query = query.where('received_at', '>=', since);
  if (typeof until === 'number') query = query.where('received_at', '<', until);
  return userId ? query.where('id', 'in', idsOfUser(db, userId, newestEntries)) : query;
}

/**
 * The deliveries of a user: recorded votes by their entries, others by their user id, and quarantined ones whose body
 * has the id.
 */
function idsOfUser(db: Kysely<Tables>, userId: string, newestEntries: readonly number[]) {
  const ids = db.selectFrom('deliveries').select('id');
  const recordedVotes = linkedEntries(db, newestEntries)
    .selectFrom('linked')
    .select((eb) => eb.ref('delivery_id').$notNull().as('id'))
    .where('delivery_id', 'is not', null);
  const withUserId = ids
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('outcome', '<>', literal('recorded')), eb('family', '=', literal('premium'))]));
  const quarantinedIds = ids
    .where('outcome', '=', literal('quarantined'))
    .where('outcome', '<>', literal('recorded'))
    .where((eb) => eb.or(jsonSpellings(userId).map((spelling) => eb('body', 'like', `%${spelling}%`))));
  return recordedVotes.union(withUserId).union(quarantinedIds);
}

/** How a JSON body may contain an id: as a string, or as a number up to the end of its field. */
function jsonSpellings(userId: string): string[] {
  const numbers = [':', ': '].flatMap((colon) => [',', '}', ' ', '\n', '\r'].map((end) => `${colon}${userId}${end}`));
  return [`"${userId}"`, ...numbers];
}
