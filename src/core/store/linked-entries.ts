import { type Expression, type Kysely, sql } from 'kysely';
import type { AccountId } from '../ledger/account.ts';
import { entryColumns, type Tables } from './tables.ts';

/**
 * A common table expression `linked`: the entry `newest` and, by following the links, all earlier entries of its
 * account, newest first. It is evaluated lazily: without a sort, only as many entries are read as the query needs. With several
 * newest entries, it has the entries of all their accounts.
 */
export function linkedEntries(
  db: Kysely<Tables>,
  newest: number | null | Expression<number | null> | readonly number[],
) {
  return db.withRecursive(
    'linked(id, account_id, listing, credits, cause, reason, at, delivery_id, previous, number, untimed, achievement)',
    (query) => {
      // A manually edited link could point forward, and form an endless loop. Ids may be in any order.
      const earlier = query
        .selectFrom('linked')
        .innerJoin('entries', (join) => join.onRef('entries.id', '=', 'linked.previous'))
        .where(({ eb }) => eb('entries.number', '<', ref('linked.number')));
      return query
        .selectFrom('entries')
        .select(entryColumns)
        .where((where) => {
          if (!isList(newest)) return where('entries.id', '=', newest);
          return newest.length === 0 ? where('entries.id', '=', null) : where('entries.id', 'in', newest);
        })
        .unionAll(earlier.select(entryColumns.map((column) => `entries.${column}` as const)));
    },
  );
}

function isList(newest: number | null | Expression<number | null> | readonly number[]): newest is readonly number[] {
  return Array.isArray(newest);
}

const ref = (column: string) => sql.ref<number>(column);

/** The id of an account's newest entry. */
export function newestEntryOf(db: Kysely<Tables>, accountId: AccountId) {
  return db.selectFrom('balances').select('last_entry').where('account_id', '=', accountId).$asScalar();
}
