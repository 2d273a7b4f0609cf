import type { Kysely } from 'kysely';
import type { MemberTables } from '../../core/store/member-data/member-table.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';

export const tables = {
  parties: { withoutMembers: 'Totals.' },
  party_voters: {
    select: (db, { userId }) => [votersOf(db, userId)],
    forget: (db, { userId }, user_id) => [
      db
        .updateTable('party_voters')
        .set({ user_id })
        .where('user_id', '=', userId)
        .where('period', 'in', db.selectFrom('parties').select('period')),
    ],
  },
} satisfies Partial<MemberTables>;

/** The payment of a party would otherwise pay the account under both ids. */
export async function lockUnpaidParties({ db, connection }: Sql, userId: string): Promise<readonly []> {
  const voters = await run(connection, votersOf(db, userId));
  const periods = voters.filter(({ state }) => state === 'eligible').map(({ period }) => period);
  for (const period of periods.sort()) {
    await run(connection, db.updateTable('parties').set({ period }).where('period', '=', period));
  }
  return [];
}

/** A member's periods. The key begins with the period, so it is looked up for each one. */
function votersOf(db: Kysely<Tables>, userId: string) {
  return db
    .selectFrom('party_voters')
    .selectAll()
    .where('user_id', '=', userId)
    .where('period', 'in', db.selectFrom('parties').select('period'));
}
