import type { Expression, Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * The table `linked` in a query: the entry `newest`, and from it along the links all that its user has before it, the newest first. It
 * goes no further than what is asked of it, as long as it is not asked to sort.
 */
export function linkedEntries(db: Kysely<Tables>, newest: number | null | Expression<number | null>) {
  return db.withRecursive(
    'linked(id, user_id, listing, credits, cause, reason, at, delivery_id, previous)',
    (query) => {
      const columns = [
        'id',
        'user_id',
        'listing',
        'credits',
        'cause',
        'reason',
        'at',
        'delivery_id',
        'previous',
      ] as const;
      // A link that leads forward was made by hand; following it might never end.
      const before = query
        .selectFrom('linked')
        .innerJoin('entries', (join) =>
          join.onRef('entries.id', '=', 'linked.previous').onRef('entries.id', '<', 'linked.id'),
        );
      return query
        .selectFrom('entries')
        .select(columns)
        .where('entries.id', '=', newest)
        .unionAll(before.select(columns.map((column) => `entries.${column}` as const)));
    },
  );
}

/** The number of a user's newest entry. */
export function newestOf(db: Kysely<Tables>, userId: string) {
  return db.selectFrom('balances').select('last_entry').where('user_id', '=', userId).$asScalar();
}
