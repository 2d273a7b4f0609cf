import { setImmediate as nextTurn } from 'node:timers/promises';
import { hour } from '@tallyhook/platform/durations';
import { objectOf, parseJson, textOf } from '@tallyhook/platform/json';
import { type ExpressionBuilder, type Kysely, sql as kyselySql, type Selectable } from 'kysely';
import { accountRange } from '../../ledger/account.ts';
import { allVoteCauses, type Cause } from '../../ledger/entry.ts';
import type { EffectState } from '../../outbox/effect-kind.ts';
import { type QueueType, queueName } from '../../outbox/queue.ts';
import type {
  CountedRows,
  Counts,
  DeliveryFilter,
  DeliveryQuery,
  DeliveryRecord,
  RecordScope,
  Records,
} from '../../records/records.ts';
import { markNames, noMarks } from '../../tally/account-state.ts';
import { withProgramKey } from '../../tally/idempotency-key.ts';
import { parseIdentities } from '../../tally/listing-context.ts';
import { linkedEntries, newestEntryOf } from '../account-columns.ts';
import { newestEntriesOf } from '../accounts.ts';
import { currentCounters, readCounters } from '../counters.ts';
import { literal, run, type SqlAccess } from '../query-builder.ts';
import { toGrant } from '../recording/queries.ts';
import type { Sql, SqlOperations } from '../sql-module.ts';
import { countedTables, deliveryColumns, noDelivery, type Tables } from '../tables.ts';

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
async function searchDeliveries(
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

export const reads: SqlOperations<Records> = {
  async deliveries(sql, search) {
    return toDeliveryRecords(sql, await searchDeliveries(sql, search));
  },

  async delivery(sql, id) {
    const delivery = sql.db.selectFrom('deliveries').select(deliveryColumns).where('id', '=', id);
    return (await toDeliveryRecords(sql, await run(sql.connection, delivery)))[0] ?? null;
  },

  async marks({ db, connection }, accountId) {
    const marks = db.selectFrom('balances').select(markNames).where('account_id', '=', accountId);
    return (await run(connection, marks))[0] ?? noMarks;
  },

  async effects(sql, { state, limit, before, only = null }) {
    // `id + 0` keeps SQLite from scanning by id: only a few effects are waiting, so it should read their index and
    // sort.
    const id = state === 'waiting' ? kyselySql<number>`id + 0` : kyselySql<number>`id`;
    let query = effects(sql).orderBy(id, 'desc').limit(limit);
    if (state !== null) query = query.where('state', '=', literal(state));
    if (before !== null) query = query.where(id, '<', before);
    if (only !== null) query = query.where(isOfCommunity(only));
    if (only !== null && state !== 'waiting' && state !== 'buried') {
      const newest = sql.db.selectFrom('effects').select('id').orderBy('id', 'desc').limit(1);
      const last = before ?? (await run(sql.connection, newest))[0]?.id ?? 0;
      query = query.where('id', '>', last - searchedEffects);
    }
    return run(sql.connection, query);
  },

  async effect(sql, id, only = null) {
    const effect = effects(sql).where('id', '=', id);
    return (await run(sql.connection, only === null ? effect : effect.where(isOfCommunity(only))))[0] ?? null;
  },

  async effectsOf(sql, deliveryId) {
    const ofDelivery = effects(sql).select('content').where('delivery_id', '=', deliveryId).orderBy('id');
    const rows = await run(sql.connection, ofDelivery);
    return rows.map(({ content, ...effect }) => ({ ...effect, role: effect.kind === 'role' ? roleIn(content) : null }));
  },

  async entries(sql, accountId, limit, before = null) {
    const link = sql.db.selectFrom('entries').select('previous').where('account_id', '=', accountId);
    const newest = before === null ? newestEntryOf(sql.db, accountId) : link.where('id', '=', before).$asScalar();
    return (await run(sql.connection, selectEntries(sql, newest).limit(limit))).map(withProgramKey);
  },

  async recentBody(sql, accountId) {
    const newest = linkedEntries(sql.db, newestEntryOf(sql.db, accountId))
      .selectFrom('linked')
      .select('delivery_id')
      .where('delivery_id', 'is not', null)
      .limit(1);
    const [entry] = await run(sql.connection, newest);
    if (entry?.delivery_id == null) return null;
    const delivery = sql.db.selectFrom('deliveries').select('body').where('id', '=', entry.delivery_id);
    return (await run(sql.connection, delivery))[0]?.body || null;
  },

  async entryOf(sql, { id, userId }) {
    if (userId === null) return null;
    const [entry] = await run(
      sql.connection,
      selectEntries(sql, await newestEntriesOf(sql, userId))
        .where('delivery_id', '=', id)
        .where('cause', 'in', eventCauses.map(literal))
        .limit(1),
    );
    return entry === undefined ? null : withProgramKey(entry);
  },

  async grants(sql, userId) {
    const grants = sql.db.selectFrom('grants').selectAll().where('user_id', '=', userId);
    return (await run(sql.connection, grants.orderBy('role').orderBy('source'))).map(toGrant);
  },

  async counts(sql) {
    // The frequent values are the total minus the others, which have partial indexes, so no table is scanned.
    const outcomes = sql.db
      .selectFrom('deliveries')
      .select(['outcome', countAll(sql)])
      .groupBy('outcome');
    const unusual = await run(sql.connection, outcomes.where('outcome', '<>', literal('recorded')));
    const byOutcome = { ...noDeliveries, ...Object.fromEntries(unusual.map((row) => [row.outcome, row.count])) };
    const buried = await effectCount(sql, 'buried');
    const waiting = await effectCount(sql, 'waiting');
    const totals = await currentCounters(sql, await readCounters(sql), countedTables);
    const { deliveries, effects: allEffects, members, credits, votes } = totals;
    return {
      deliveries: { ...byOutcome, recorded: deliveries - Object.values(byOutcome).reduce((a, b) => a + b, 0) },
      effects: { waiting, buried, done: allEffects - waiting - buried },
      users: members,
      credits,
      votes,
    } satisfies Counts;
  },

  async countsIn(sql, only, counted = { below: 0, rows: 0 }) {
    const { db, connection } = sql;
    const rows = await countDeliveries(sql, only, counted);
    const ofListings = db.selectFrom('deliveries').where('listing', 'in', [...only.listings, '']);
    const outcomes = ofListings.select(['outcome', countAll(sql)]).groupBy('outcome');
    const unusual = await run(connection, outcomes.where('outcome', '<>', literal('recorded')));
    const byOutcome = { ...noDeliveries, ...Object.fromEntries(unusual.map((row) => [row.outcome, row.count])) };
    const recorded = rows.all - Object.values(byOutcome).reduce((a, b) => a + b, 0);
    const [last] = await run(connection, db.selectFrom('effects').select('id').orderBy('id', 'desc').limit(1));
    const done = db.selectFrom('effects').select(countAll(sql)).where('state', '=', literal('done'));
    const newest = done.where('id', '>', (last?.id ?? 0) - searchedEffects).where(isOfCommunity(only));
    const waiting = await effectCount(sql, 'waiting', only);
    const buried = await effectCount(sql, 'buried', only);
    const effectsByState = { waiting, buried, done: (await run(connection, newest))[0]?.count ?? 0 };
    const accounts = await sumAccounts(sql, only);
    const counts = { deliveries: { ...byOutcome, recorded }, effects: effectsByState, ...accounts } satisfies Counts;
    return { counts, counted: rows.counted };
  },

  async problems(sql, only) {
    const quarantined = sql.db.selectFrom('deliveries').select(countAll(sql));
    // The first condition is that of the partial index.
    let ofCommunity = quarantined
      .where('outcome', '<>', literal('recorded'))
      .where('outcome', '=', literal('quarantined'));
    if (only !== null) ofCommunity = ofCommunity.where('listing', 'in', [...only.listings, '']);
    const [row] = await run(sql.connection, ofCommunity);
    return {
      quarantined: row?.count ?? 0,
      buried: await effectCount(sql, 'buried', only),
      waiting: await effectCount(sql, 'waiting', only),
    };
  },
};

export const writes = {};

/** Effects of all communities that are searched for those of one: some ms, in which SQLite blocks this thread. */
const searchedEffects = 20_000;

/** The types of queues that belong to one community. */
const communityTypes = ['channel', 'roles', 'role', 'dm'] as const satisfies readonly QueueType[];

function isOfCommunity({ communityId, listings }: RecordScope) {
  return ({ or, and, eb, exists, selectFrom, not }: ExpressionBuilder<Tables, 'effects'>) => {
    const ofDelivery = selectFrom('deliveries')
      .select('deliveries.id')
      .whereRef('deliveries.id', '=', 'effects.delivery_id')
      .where('listing', 'in', [...listings, '']);
    return and([
      // Whose errors are those of the operator's program.
      not(eb('kind', '=', literal('handler'))),
      or([
        exists(ofDelivery),
        and([
          eb('delivery_id', '=', literal(noDelivery)),
          or(communityTypes.map((type) => eb('queue', 'like', `${queueName(type, communityId, '')}%`))),
        ]),
      ]),
    ]);
  };
}

function effects({ db }: Sql) {
  return db
    .selectFrom('effects')
    .select(['id', 'kind', 'state', 'attempts', 'reason', 'queue'])
    .select(kyselySql<number | null>`nullif(delivery_id, ${literal(noDelivery)})`.as('deliveryId'))
    .select(['created_at as createdAt', 'due_at as dueAt', 'finished_at as finishedAt']);
}

/** The contents may be of another version. */
function roleIn(content: string): string | null {
  return textOf(objectOf(parseJson(content))['role']) || null;
}

function selectEntries({ db }: Sql, newest: Parameters<typeof linkedEntries>[1]) {
  return linkedEntries(db, newest)
    .selectFrom('linked')
    .select(['id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id as deliveryId', 'achievement']);
}

function countAll({ db }: Sql) {
  return db.fn.countAll<number>().as('count');
}

/** A duplicate without a body of its own gets that of the delivery that it repeats. */
async function toDeliveryRecords(
  { db, connection }: Sql,
  rows: readonly Selectable<Tables['deliveries']>[],
): Promise<DeliveryRecord[]> {
  const originalIds = rows.flatMap(({ body, original_id: id }) => (body === '' && id !== null ? id : []));
  const originals = db.selectFrom('deliveries').select(['id', 'body']).where('id', 'in', originalIds);
  const bodies = new Map(
    originalIds.length === 0 ? [] : (await run(connection, originals)).map(({ id, body }) => [id, body]),
  );
  return rows.map(({ received_at: receivedAt, user_id: userId, original_id: originalId, origin, ...columns }) => {
    const body = columns.body === '' && originalId !== null ? (bodies.get(originalId) ?? '') : columns.body;
    return { ...columns, body, receivedAt, userId, originalId, origin: parseIdentities(origin) };
  });
}

/** Deliveries of a community, of which those with ids below `counted.below` were counted before. */
async function countDeliveries({ db, connection }: Sql, { listings }: RecordScope, { below, rows }: CountedRows) {
  const { minId, maxId } = await idRange({ db, connection });
  const ofListings = db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('listing', 'in', [...listings, '']);
  let counted: CountedRows = { below: Math.max(below, minId), rows };
  let all = rows;
  for (let lower = counted.below; lower <= maxId; lower += scanSize) {
    const upper = lower + scanSize;
    const [slice] = await run(connection, ofListings.where('id', '>=', lower).where('id', '<', upper));
    all += slice?.count ?? 0;
    // Rows with the highest ids may be followed by some with lower ones.
    if (upper + scanSize <= maxId) counted = { below: upper, rows: all };
    await nextTurn();
  }
  return { all, counted };
}

async function sumAccounts({ db, connection }: Sql, { communityId }: RecordScope) {
  const { after, before } = accountRange(communityId);
  const sums = db
    .selectFrom('balances')
    .select(({ fn }) => [
      fn.countAll<number>().as('users'),
      fn.sum('credits').as('credits'),
      fn.sum('votes').as('votes'),
    ])
    .where('account_id', '>', after)
    .where('account_id', '<', before)
    .where('entries', '>', 0);
  const [row] = await run(connection, sums);
  return { users: row?.users ?? 0, credits: Number(row?.credits ?? 0), votes: Number(row?.votes ?? 0) };
}

async function effectCount(sql: Sql, state: EffectState, only: RecordScope | null = null): Promise<number> {
  let ofState = sql.db.selectFrom('effects').select(countAll(sql)).where('state', '=', literal(state));
  if (only !== null) ofState = ofState.where(isOfCommunity(only));
  return (await run(sql.connection, ofState))[0]?.count ?? 0;
}

/** The causes of the entries of events themselves. */
const eventCauses = [...allVoteCauses, 'premium', 'revoked'] as const satisfies readonly Cause[];

const noDeliveries: Counts['deliveries'] = { recorded: 0, duplicate: 0, test: 0, quarantined: 0 };
