import { type RawBuilder, sql } from 'kysely';
import type { AccountId } from '../../ledger/account.ts';
import { allVoteCauses } from '../../ledger/entry.ts';
import type { Outage } from '../../rewards/outages.ts';
import type { AccountState } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import type { PastVote } from '../../tally/tally.ts';
import { accountColumns, type BalanceRow, toAccountState } from '../account-columns.ts';
import { literal, type SqlAccess } from '../query-builder.ts';
import type { HotTable } from '../recording/hot-table.ts';
import type { VoteRange } from '../recording/needs.ts';
import { toOutage, toPastVote } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';

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
