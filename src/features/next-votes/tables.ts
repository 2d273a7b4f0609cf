import { deletedRows, type MemberTables } from '../../core/store/member-data/member-table.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { type EndedGuild, rowsPerWrite, type Sql } from '../../core/store/sql-module.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /**
     * When a member may vote again, as the delivery of the vote has said. Without a row, or with one of an earlier vote, the
     * cooldown of the listing decides.
     */
    next_votes: { user_id: string; listing: string; voted_at: number; next_at: number };
  }
}

export const tables = { next_votes: deletedRows('next_votes') } satisfies Partial<MemberTables>;

/** Of a community that has ended. */
export async function deleteNextVotes({ db, connection }: Sql, { listings }: EndedGuild): Promise<boolean> {
  if (listings.length === 0) return false;
  const own = db.selectFrom('next_votes').select(['user_id', 'listing']).where('listing', 'in', listings);
  const rows = await run(connection, own.limit(literal(rowsPerWrite)));
  for (const { user_id, listing } of rows) {
    const next = db.deleteFrom('next_votes').where('user_id', '=', user_id);
    await run(connection, next.where('listing', '=', listing));
  }
  return rows.length === rowsPerWrite;
}
