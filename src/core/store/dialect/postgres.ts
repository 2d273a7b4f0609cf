import { connection, createTransactions, readInTransaction } from '@tallyhook/platform/database/postgres-connection';
import { postgresDialect } from '@tallyhook/platform/database/postgres-dialect';
import { createMigratingConnection } from '@tallyhook/platform/database/postgres-migrating';
import { createPool } from '@tallyhook/platform/database/postgres-pool';
import type { PostgresTransactions } from '@tallyhook/platform/database/postgres-transactions';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import { type AccountId, accountIdOf, type CommunityId, scopedKey } from '../../ledger/account.ts';
import { allVoteCauses } from '../../ledger/entry.ts';
import { serializeContent } from '../../outbox/effect-kind.ts';
import type { Outage } from '../../rewards/calendar.ts';
import { type AccountState, isEmpty } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import { serializeIdentities } from '../../tally/listing-context.ts';
import type { Order } from '../../tally/order.ts';
import { decide, type RecordingResult } from '../../tally/recorder.ts';
import type { PastVote, StoredCorrection } from '../../tally/tally.ts';
import { accountColumns, accountValues, type BalanceRow, toAccountState } from '../account-columns.ts';
import { literal, lock, queryBuilder, run, type SqlAccess } from '../query-builder.ts';
import { type HotTable, isInitial, keyOf, replacement } from '../recording/hot-table.ts';
import { addRow, addScoped, type Needs, needsOf, noNeeds, type VoteRange } from '../recording/needs.ts';
import {
  insertCorrection,
  saveOrder,
  selectCorrections,
  selectOrderNames,
  selectOrders,
  selectReplayable,
  toCorrection,
  toOrder,
  toOutage,
  toPastVote,
  updateReplayedDelivery,
} from '../recording/queries.ts';
import { type Changes, createUnitOfWork, type RecordingReads } from '../recording/unit-of-work.ts';
import { noDelivery, type Tables } from '../tables.ts';
import type { Dialect, RecordBatch } from './dialect.ts';

/** One for each of the store's writers, and one more: a writer continues while its last transaction is rolled back. */
const maxWritingConnections = 6;
const maxReadingConnections = 4;

/**
 * PostgreSQL, for more than one process. Works through PgBouncer in transaction mode: no startup parameters except user
 * and database, and no session state. Timeouts are set per transaction.
 */
export function postgres(url: string): Dialect {
  // Two pools, so that deliveries do not wait for slow reads, such as sums over all accounts.
  const pool = createPool(url, maxWritingConnections);
  const readingPool = createPool(url, maxReadingConnections);
  const db = queryBuilder(postgresDialect);

  return {
    ...postgresDialect,
    reading: connection((text, values) => readInTransaction(readingPool, text, values)),
    openWriting() {
      const transactions = createTransactions(pool);
      return { ...transactions, record: postgresRecord(transactions, db) };
    },
    migrating: createMigratingConnection(pool),
    files: null,
    dataVersion: null,
    checkFiles: () => null,
    async close() {
      await Promise.all([pool.end(), readingPool.end()]);
    },
  };
}

/**
 * Records deliveries inside the connection's current transaction, in two round trips: begin, lock and read; then decide
 * in memory, write and commit. If a decision needs more than was read, that is read too, and the whole batch is decided
 * again.
 */
export function postgresRecord(connection: PostgresTransactions, db: Kysely<Tables>): RecordBatch {
  return async (jobs, hooks, secret) => {
    const loader = new Loader({ db, connection });
    let needs = needsOf(jobs, hooks);
    while (true) {
      await loader.load(needs);
      const { reads, missing, newEvents } = loader.createReads();
      const { tally, changes } = createUnitOfWork(reads, hooks, secret);
      const results: RecordingResult[] = [];
      for (const job of jobs) {
        try {
          results.push(decide(tally, job));
        } catch (error) {
          if (!(error instanceof NotLoadedError)) throw error;
        }
      }
      if (results.length === jobs.length) {
        sendChanges(connection, db, changes, newEvents, loader);
        return results;
      }
      needs = missing;
    }
  };
}

/** A decision needs something that is not loaded yet. It is noted in the needs of these reads. */
export class NotLoadedError extends Error {}

/**
 * Reads what decisions need, and locks it until the end of the transaction. Locks are taken in the same order by every
 * transaction, so that none waits for another in a circle: orders, quarantined deliveries by id, rows of the features by
 * their keys, accounts by id. Everything else is protected by one of them, or by a unique key.
 */
export class Loader {
  /** The accounts without entries, whose balance has been inserted to lock it. */
  readonly emptyAccounts: AccountId[] = [];
  readonly #access: SqlAccess;
  readonly #accounts = new Map<AccountId, AccountState>();
  /** The deliveries of events; null for one that is not recorded. */
  readonly #events = new Map<EventKey, number | null>();
  /** When forgotten votes were received (ms since the epoch); null for one that was not. */
  readonly #forgottenVotes = new Map<EventKey, number | null>();
  /** By {@link scopedKey} of each id, and of each idempotency key. */
  readonly #ordersById = new Map<string, readonly Order[]>();
  readonly #quarantined = new Map<number, boolean>();
  readonly #corrections = new Map<string, StoredCorrection | null>();
  readonly #grants = new Map<string, readonly Selectable<Tables['grants']>[]>();
  readonly #rowsOf = new Map<HotTable, Map<string, object>>();
  /** By {@link nameOf} their range. */
  readonly #votes = new Map<string, readonly PastVote[]>();
  #outages: readonly Outage[] = [];
  readonly #deliveryIds: number[] = [];
  readonly #entryIds: number[] = [];

  constructor(access: SqlAccess) {
    this.#access = access;
  }

  async load(needs: Needs): Promise<void> {
    const { accounts: accountIds, events: keys, orderIds, replayedIds, idempotencyKeys, voteRanges, newIds } = needs;
    const ofHolders: AccountId[] = [];
    // Orders are rare, and an event can show that two are the same, so all have one lock.
    if (orderIds.size > 0) await lock(this.#access.connection, this.#access.db, 'orders');
    for (const [scope, ids] of orderIds) ofHolders.push(...(await this.#loadOrders(scope, [...ids])));
    if (replayedIds.size > 0) await this.#loadQuarantined([...replayedIds]);
    const newAccounts = [...new Set([...accountIds, ...ofHolders])].filter((id) => !this.#accounts.has(id));
    // One round trip. Each statement sees what was committed before it started, so the reads after the locks see
    // what these protect.
    await Promise.all([
      ...[...needs.rows].map(([table, keys]) => this.#loadRows(table, keys)),
      newAccounts.length > 0 && this.#loadAccounts(newAccounts.sort()),
      needs.grantees.size > 0 && this.#loadGrants([...needs.grantees]),
      ...[...idempotencyKeys].map(([scope, keys]) => this.#loadCorrections(scope, [...keys])),
      needs.forgottenVotes.size > 0 && this.#loadForgottenVotes([...needs.forgottenVotes]),
      (keys.size > 0 || newIds > 0) && this.#loadEventsAndIds([...keys], newIds),
    ]);
    if (voteRanges.length > 0) await this.#loadVotes(voteRanges);
  }

  /**
   * Reads for one attempt at the decisions of a batch. They add what is not loaded to `missing`, and throw. `newEvents`:
   * the deliveries of the events that the attempt has added.
   */
  createReads() {
    const missing = noNeeds();
    const newEvents = new Map<EventKey, number>();

    function notLoaded(_noted: unknown): never {
      throw new NotLoadedError();
    }
    function noIdLeft(): never {
      missing.newIds += 1;
      throw new NotLoadedError();
    }
    const reads: RecordingReads = {
      account: (id) => this.#accounts.get(id) ?? notLoaded(missing.accounts.add(id)),
      votesBetween: (account, listing, after, before) => {
        const range = { account, listing, after, before };
        return this.#votes.get(nameOf(range)) ?? notLoaded(missing.voteRanges.push(range));
      },
      grantsOf: (userId) => this.#grants.get(userId) ?? notLoaded(missing.grantees.add(userId)),
      row: (table, key) => this.#rowsOf.get(table)?.get(key) ?? notLoaded(addRow(missing, table, key)),
      outages: () => this.#outages,
      deliveryOf: (key) => {
        const deliveryId = newEvents.get(key) ?? this.#events.get(key);
        return deliveryId === undefined ? notLoaded(missing.events.add(key)) : deliveryId;
      },
      addEvent: (keys, deliveryId) => {
        // All of them, so that those that are missing are loaded together.
        if (keys.map(reads.deliveryOf).some((known) => known !== null)) return false;
        for (const key of keys) newEvents.set(key, deliveryId);
        return true;
      },
      forgottenVoteAt: (keyOfVote) => {
        const key = keyOfVote();
        const at = this.#forgottenVotes.get(key);
        return at === undefined ? notLoaded(missing.forgottenVotes.add(key)) : at;
      },
      orders: (scope, orderIds) => {
        const find = (id: string) =>
          this.#ordersById.get(scopedKey(scope, id)) ?? notLoaded(addScoped(missing.orderIds, scope, [id]));
        const found = orderIds.map(find);
        return [...new Map(found.flat().map((order) => [order.orderIds[0], order])).values()];
      },
      isQuarantined: (id) => this.#quarantined.get(id) ?? notLoaded(missing.replayedIds.add(id)),
      correction: (scope, key) => {
        const correction = this.#corrections.get(scopedKey(scope, key));
        return correction === undefined ? notLoaded(addScoped(missing.idempotencyKeys, scope, [key])) : correction;
      },
      deliveryIdAt: (place) => this.#deliveryIds[place] ?? noIdLeft(),
      entryIdAt: (place) => this.#entryIds[place] ?? noIdLeft(),
    };
    return { reads, missing, newEvents };
  }

  /** The keys of rows of the features that say nothing, and may have been inserted to lock them. */
  initialKeys(): readonly (readonly [table: HotTable, keys: readonly string[]])[] {
    return [...this.#rowsOf].map(([table, rows]) => {
      const initial = [...rows].filter(([, row]) => isInitial(table, row));
      return [table, initial.map(([key]) => key)];
    });
  }

  /** Returns the accounts of their holders. */
  async #loadOrders(communityId: CommunityId, ids: readonly string[]): Promise<readonly AccountId[]> {
    const { db, connection } = this.#access;
    const names = await run(connection, selectOrderNames(db, communityId, ids));
    const orders = (await run(connection, selectOrders(db, communityId, ids))).map((row) => toOrder(row, names));
    for (const id of ids)
      this.#ordersById.set(
        scopedKey(communityId, id),
        orders.filter(({ orderIds }) => orderIds.includes(id)),
      );
    return orders.flatMap(({ userId }) => (userId === null ? [] : accountIdOf(communityId, userId)));
  }

  async #loadQuarantined(ids: readonly number[]): Promise<void> {
    const { db, connection } = this.#access;
    const rows = await run(connection, selectReplayable(db, ids).orderBy('id').forUpdate());
    const found = new Set(rows.map(({ id }) => id));
    for (const id of ids) this.#quarantined.set(id, found.has(id));
  }

  async #loadAccounts(ids: readonly AccountId[]): Promise<void> {
    for (const account of await lockAccounts(this.#access, ids)) {
      this.#accounts.set(account.id, account);
      if (isEmpty(account)) this.emptyAccounts.push(account.id);
    }
    // A text that PostgreSQL stores differently would be missing again at each attempt.
    const invalid = ids.find((id) => !this.#accounts.has(id));
    if (invalid !== undefined) throw new Error(`PostgreSQL cannot store the user id ${JSON.stringify(invalid)}.`);
  }

  async #loadRows(table: HotTable, keys: ReadonlySet<string>): Promise<void> {
    const loaded = this.#rowsOf.get(table) ?? new Map<string, object>();
    this.#rowsOf.set(table, loaded);
    for (const row of await lockRows(this.#access, table, [...keys].sort())) loaded.set(keyOf(table, row), row);
  }

  /** Protected by the lock of their user's account. */
  async #loadGrants(userIds: readonly string[]): Promise<void> {
    const { db, connection } = this.#access;
    const rows = await run(connection, db.selectFrom('grants').selectAll().where('user_id', 'in', userIds));
    for (const userId of userIds)
      this.#grants.set(
        userId,
        rows.filter((row) => row.user_id === userId),
      );
  }

  async #loadCorrections(communityId: CommunityId, keys: readonly string[]): Promise<void> {
    const { db, connection } = this.#access;
    const rows = (await run(connection, selectCorrections(db, communityId, keys))).map(toCorrection);
    for (const key of keys) {
      const stored = rows.find(({ idempotencyKey }) => idempotencyKey === key) ?? null;
      this.#corrections.set(scopedKey(communityId, key), stored);
    }
  }

  async #loadEventsAndIds(keys: readonly EventKey[], idCount: number): Promise<void> {
    const loaded = await selectEventsAndIds(this.#access, keys, idCount);
    for (const key of keys) this.#events.set(key, loaded.events.get(key) ?? null);
    this.#outages = loaded.outages;
    this.#deliveryIds.push(...loaded.deliveryIds);
    this.#entryIds.push(...loaded.entryIds);
  }

  /** Protected by the lock of their user's account. */
  async #loadForgottenVotes(keys: readonly EventKey[]): Promise<void> {
    const found = await selectForgottenVotes(this.#access, keys);
    for (const key of keys) this.#forgottenVotes.set(key, found.get(key) ?? null);
  }

  async #loadVotes(ranges: readonly VoteRange[]): Promise<void> {
    const found = await selectVotes(this.#access, ranges);
    for (const [index, range] of ranges.entries()) this.#votes.set(nameOf(range), found[index] ?? []);
  }
}

function nameOf({ account, listing, after, before }: VoteRange): string {
  return `${account.id} ${after} ${before} ${listing}`;
}

/** Locks and reads accounts. Inserts those that are missing, because only a row that exists can be locked. */
export async function lockAccounts(access: SqlAccess, sortedIds: readonly AccountId[]): Promise<AccountState[]> {
  const locked = sql<BalanceRow>`
    insert into balances (account_id, credits, votes, last_votes, entries)
    select account_id, 0, 0, '{}', 0
    from unnest(${sortedIds}::text[]) with ordinality as keys (account_id, place) order by place
    on conflict (account_id) do update set account_id = balances.account_id
    returning account_id, roles, ${sql.join(accountColumns.map((name) => sql.ref(name)))}`;
  return (await all(access, locked)).map(toAccountState);
}

/** Locks and reads rows of a feature. Inserts those that are missing, because only a row can be locked. */
export function lockRows(
  access: SqlAccess,
  { name, key, initial = {} }: HotTable,
  sortedKeys: readonly string[],
): Promise<readonly object[]> {
  const [column = ''] = key;
  const names = Object.keys(initial).map((each) => sql.ref(each));
  const values = Object.values(initial).map((each) => sql.lit(each));
  const locked = sql<object>`
    insert into ${sql.table(name)} (${sql.join([sql.ref(column), ...names])})
    select ${sql.join([sql.ref('key'), ...values])}
    from unnest(${sortedKeys}::text[]) with ordinality as keys (key, place) order by place
    on conflict (${sql.ref(column)}) do update set ${sql.ref(column)} = ${sql.ref(`${name}.${column}`)}
    returning *`;
  return all(access, locked);
}

/**
 * The deliveries of those keys that are recorded, new ids, and the outages. To be read after the locks, so that it cannot
 * change any more.
 */
export async function selectEventsAndIds(access: SqlAccess, keys: readonly EventKey[], idCount: number) {
  const newIds = (table: 'deliveries' | 'entries') => sql`(
    select json_agg(nextval(pg_get_serial_sequence(${sql.lit(table)}, 'id'))) from generate_series(1, ${idCount}::int)
  )`;
  const selected = sql<{
    events: [key: EventKey, deliveryId: number][] | null;
    delivery_ids: number[] | null;
    entry_ids: number[] | null;
    outages: Tables['outages'][] | null;
  }>`
    select
      (select json_agg(outages order by from_at) from outages) as outages,
      (
        select json_agg(json_build_array(encode(key, 'hex'), delivery_id)) from event_keys
        where key = any(${keys.map(toBytea)}::bytea[])
      ) as events,
      ${newIds('deliveries')} as delivery_ids,
      ${newIds('entries')} as entry_ids`;
  const [row] = await all(access, selected);
  return {
    events: new Map(row?.events ?? []),
    deliveryIds: row?.delivery_ids ?? [],
    entryIds: row?.entry_ids ?? [],
    outages: (row?.outages ?? []).map(toOutage) satisfies Outage[],
  };
}

/** When the votes under these keys were cast (ms since the epoch). */
export async function selectForgottenVotes(
  access: SqlAccess,
  keys: readonly EventKey[],
): Promise<Map<EventKey, number>> {
  const selected = sql<{ key: EventKey; at: number }>`
    select encode(key, 'hex') as key, at from forgotten_votes where key = any(${keys.map(toBytea)}::bytea[])`;
  return new Map((await all(access, selected)).map(({ key, at }) => [key, at]));
}

/** The votes in each range. */
export async function selectVotes(access: SqlAccess, ranges: readonly VoteRange[]): Promise<PastVote[][]> {
  const rows = ranges.map(({ account, listing, after, before }, place) => {
    return { place, newest: account.lastEntry, listing, after, before };
  });
  const selected = sql<Omit<PastVote, 'untimed'> & { place: number; untimed: number }>`
    select ranges.place, votes.listing, votes.credits, votes.at, votes.cause, votes.reason, votes.untimed,
      votes."deliveryId"
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as ranges (place int, newest bigint, listing text, after bigint, before bigint)
    cross join lateral (
      with recursive linked as (
        select * from entries where id = ranges.newest
        union all
        select entries.* from linked join entries on entries.id = linked.previous
        where (entries.number, entries.id) < (linked.number, linked.id)
      )
      select listing, credits, at, cause, reason, untimed, delivery_id as "deliveryId" from linked
      where at > coalesce(ranges.after, at - 1) and at < coalesce(ranges.before, at + 1)
        and listing = coalesce(ranges.listing, listing)
        and cause in (${sql.join(allVoteCauses.map(literal))})
    ) as votes`;
  const votes = await all(access, selected);
  return ranges.map((_, index) => votes.filter(({ place }) => place === index).map(toPastVote));
}

/** The text form of a `bytea`. */
function toBytea(key: EventKey): string {
  return `\\x${key}`;
}

async function all<Row>({ db, connection }: SqlAccess, query: RawBuilder<Row>): Promise<readonly Row[]> {
  return (await connection.run(query.compile(db))) as readonly Row[];
}

/**
 * Sends the changes of a batch: everything that votes consist of in one statement, then what only premium events,
 * replays and corrections have. An error rejects the commit.
 * @param newEvents their deliveries, by key
 * @param locked accounts without entries, and rows that say nothing: those that still have none, and that are not changed,
 *   are deleted, because they were only inserted to lock them
 */
export function sendChanges(
  connection: PostgresTransactions,
  db: Kysely<Tables>,
  changes: Changes,
  newEvents: ReadonlyMap<EventKey, number>,
  locked: {
    readonly emptyAccounts: readonly AccountId[];
    readonly initialKeys: () => readonly (readonly [table: HotTable, keys: readonly string[]])[];
  },
): void {
  const { newDeliveries, replayedDeliveries, entries, accounts, effects, orders, corrections } = changes;
  connection.send({
    sql: writeRows,
    parameters: [
      JSON.stringify(
        newDeliveries.map((row) => (row.origin ? { ...row, origin: serializeIdentities(row.origin) } : row)),
      ),
      JSON.stringify([...newEvents].map(([key, deliveryId]) => ({ key, deliveryId }))),
      JSON.stringify(entries.map((entry) => ({ ...entry, untimed: entry.untimed ? 1 : 0 }))),
      JSON.stringify([...accounts.values()].map(toRow)),
      JSON.stringify(
        effects.map((effect) => ({
          ...effect,
          deliveryId: effect.deliveryId ?? noDelivery,
          content: serializeContent(effect),
        })),
      ),
      locked.emptyAccounts.filter((id) => !accounts.has(id)),
    ],
  });
  for (const [table, rows] of changes.rows) {
    connection.send({ sql: saveRowsOf(table), parameters: [JSON.stringify([...rows.values()])] });
  }
  for (const [table, keys] of locked.initialKeys()) {
    const unchanged = keys.filter((key) => changes.rows.get(table)?.has(key) !== true);
    if (unchanged.length > 0) connection.send({ sql: deleteRowsOf(table), parameters: [unchanged] });
  }
  for (const delivery of replayedDeliveries) connection.send(updateReplayedDelivery(db, delivery).compile());
  for (const { order, at } of orders) for (const query of saveOrder(db, order, at)) connection.send(query.compile());
  for (const correction of corrections) connection.send(insertCorrection(db, correction).compile());
}

const saveRowsOf = memoizeOne((table: HotTable): string => {
  const { name, columns } = table;
  const names = Object.keys(columns).join(', ');
  const types = Object.entries(columns).map(([column, type]) => `${column} ${type}`);
  return `
  insert into ${name} (${names})
  select ${names} from json_to_recordset($1::json) as rows (${types.join(', ')})
  ${replacement(table)}`;
});

const deleteRowsOf = memoizeOne(({ name, key: [column = ''] }: HotTable): string => {
  return `delete from ${name} where ${column} = any($1::text[])`;
});

function toRow(account: AccountState): Record<string, unknown> {
  const values = accountValues(account);
  return Object.fromEntries([
    ['account_id', account.id],
    ...accountColumns.map((name, index) => [name, values[index]]),
  ]);
}

const accountTypes = accountColumns.map(
  (name) => `${name} ${['last_votes', 'history'].includes(name) ? 'text' : 'bigint'}`,
);

/** JSON is the fastest way to send many rows: a parameter per value takes longer to bind, and an array to build. */
const writeRows = `
  with
    new_deliveries as (
      insert into deliveries (
        id, received_at, family, listing, kind, outcome, reason, user_id, credits, body, original_id, origin
      )
      select id, "receivedAt", family, listing, kind, outcome, reason, "userId", credits, body, "originalId", origin
      from json_to_recordset($1::json) as rows (
        id bigint, "receivedAt" bigint, family text, listing text, kind text, outcome text, reason text, "userId" text,
        credits bigint, body text, "originalId" bigint, origin text
      )
    ),
    new_events as (
      insert into event_keys (key, delivery_id)
      select decode(key, 'hex'), "deliveryId" from json_to_recordset($2::json) as rows (key text, "deliveryId" bigint)
    ),
    new_entries as (
      insert into entries (
        id, account_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed, achievement
      )
      select id, "accountId", listing, credits, cause, reason, at, "deliveryId", previous, number, untimed, achievement
      from json_to_recordset($3::json) as rows (
        id bigint, "accountId" text, listing text, credits bigint, cause text, reason text, at bigint, "deliveryId" bigint,
        previous bigint, number bigint, untimed int, achievement text
      )
    ),
    changed_balances as (
      update balances set ${accountColumns.map((name) => `${name} = rows.${name}`).join(', ')}
      from json_to_recordset($4::json) as rows (account_id text, ${accountTypes.join(', ')})
      where balances.account_id = rows.account_id
    ),
    new_effects as (
      insert into effects (delivery_id, kind, queue, content, state, attempts, due_at, created_at, traceparent)
      select "deliveryId", kind, queue, content, 'waiting', 0, "createdAt", "createdAt", traceparent
      from json_to_recordset($5::json) as rows (
        "deliveryId" bigint, kind text, queue text, content text, "createdAt" bigint, traceparent text
      )
    )
  delete from balances where account_id = any($6::text[])`;
