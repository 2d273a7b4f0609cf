import { setImmediate as turn } from 'node:timers/promises';
import type { Kysely, Selectable } from 'kysely';
import type { DeliveryFilter, DeliveryQuery } from '../../owner/records.ts';
import { hour } from '../../platform/durations.ts';
import type { Connection } from '../dialect/dialect.ts';
import { linkedEntries, newestOf } from '../linked-entries.ts';
import { literal, run } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Rows that are looked at before others get a turn: a few ms of SQLite, which answers nobody else meanwhile. */
const stride = 10_000;
/** How far the order of ids and of times may differ (ms): several processes receive, and a clock that is set for summer time goes back an hour. */
const disorder = 2 * hour;

/**
 * Deliveries that pass the filter, newest first. A user's are found by index; so are the unusual outcomes. Anything else is found along
 * the ids, in strides, and the ids of a stretch of time by halving, since ids grow with time: receiving a vote pays for no more indexes.
 */
export async function searchDeliveries(
  db: Kysely<Tables>,
  reading: Connection,
  { limit, before, ...filter }: DeliveryQuery,
): Promise<Selectable<Tables['deliveries']>[]> {
  const { outcome = null, userId = null, since = null, until = null } = filter;
  const { lowest, highest } = await ends(db, reading);
  const floor = since === null ? lowest : await firstIdAt(since - disorder);
  const ceiling = until === null ? highest + 1 : await firstIdAt(until + disorder);
  const indexed = userId !== null || (outcome !== null && outcome !== 'recorded');
  const step = indexed ? Number.POSITIVE_INFINITY : stride;
  const rows = filtered(db, filter).orderBy('id', 'desc');

  const found: Selectable<Tables['deliveries']>[] = [];
  let upper = Math.min(ceiling, before ?? ceiling);
  while (upper > floor && found.length < limit) {
    const lower = Math.max(floor, upper - step);
    const stretch = rows.where('id', '<', upper).where('id', '>=', lower);
    found.push(...(await run(reading, stretch.limit(limit - found.length))));
    upper = lower;
    await turn();
  }
  return found;

  /** The first id that was received at that time or later, found by halving. */
  async function firstIdAt(at: number): Promise<number> {
    let [low, high] = [lowest, highest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = db.selectFrom('deliveries').select(['id', 'received_at']).where('id', '>=', middle);
      const [row] = await run(reading, next.orderBy('id').limit(1));
      if (row !== undefined && row.received_at < at) low = row.id + 1;
      else high = middle;
    }
    return low;
  }
}

async function ends(db: Kysely<Tables>, reading: Connection): Promise<{ lowest: number; highest: number }> {
  const ids = db.selectFrom('deliveries').select('id').limit(1);
  const [first] = await run(reading, ids.orderBy('id'));
  const [last] = await run(reading, ids.orderBy('id', 'desc'));
  return { lowest: first?.id ?? 0, highest: last?.id ?? -1 };
}

/** The unusual outcomes are said twice: SQLite uses their index only where its condition stands in the query, word for word. */
function filtered(db: Kysely<Tables>, { outcome, kind, listing, userId, since, until }: DeliveryFilter) {
  let query = db.selectFrom('deliveries').selectAll();
  if (outcome) query = query.where('outcome', '=', literal(outcome));
  if (outcome && outcome !== 'recorded') query = query.where('outcome', '<>', literal('recorded'));
  if (kind) query = query.where('kind', '=', kind);
  if (listing) query = query.where('listing', '=', listing);
  if (typeof since === 'number') query = query.where('received_at', '>=', since);
  if (typeof until === 'number') query = query.where('received_at', '<', until);
  return userId ? query.where('id', 'in', ofUser(db, userId)) : query;
}

/** A user's deliveries: recorded votes by their entries, others by the user's name on them, and the quarantined that name the user. */
function ofUser(db: Kysely<Tables>, userId: string) {
  const ids = db.selectFrom('deliveries').select('id');
  const booked = linkedEntries(db, newestOf(db, userId))
    .selectFrom('linked')
    .select((eb) => eb.ref('delivery_id').$notNull().as('id'))
    .where('delivery_id', 'is not', null);
  const named = ids
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('outcome', '<>', literal('recorded')), eb('family', '=', literal('premium'))]));
  const quarantined = ids
    .where('outcome', '=', literal('quarantined'))
    .where('outcome', '<>', literal('recorded'))
    .where((eb) => eb.or(spellings(userId).map((spelling) => eb('body', 'like', `%${spelling}%`))));
  return booked.union(named).union(quarantined);
}

/** How a body may name an id: as a string, or as a number that nothing but the end of a field follows. */
function spellings(userId: string): string[] {
  const numbers = [':', ': '].flatMap((colon) => [',', '}', ' ', '\n', '\r'].map((end) => `${colon}${userId}${end}`));
  return [`"${userId}"`, ...numbers];
}
