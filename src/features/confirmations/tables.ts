import { deletedRows, type MemberTables } from '../../core/store/member-data/member-table.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import { type EndedGuild, rowsPerWrite, type Sql } from '../../core/store/sql-module.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /**
     * The votes that wait for the confirmation of their site, at most one per listing and member: the id of its delivery, or
     * null. `vote` is {@link voteOf}.
     */
    confirmations: { vote: string; user_id: string | null; listing: string | null; delivery_id: number | null };
  }
}

export const confirmations = hotTable({
  name: 'confirmations',
  key: ['vote'],
  columns: { vote: 'text', user_id: 'text', listing: 'text', delivery_id: 'bigint' },
  initial: { user_id: null, listing: null, delivery_id: null },
});

/** The key of a row. */
export const voteOf = (listing: string, userId: string): string => `${listing} ${userId}`;

export const tables = { confirmations: deletedRows('confirmations') } satisfies Partial<MemberTables>;

/** Of a community that has ended. */
export async function deleteConfirmations({ db, connection }: Sql, { listings }: EndedGuild): Promise<boolean> {
  if (listings.length === 0) return false;
  const own = db.selectFrom('confirmations').select('vote').where('listing', 'in', listings);
  const rows = await run(connection, own.limit(literal(rowsPerWrite)));
  for (const { vote } of rows) await run(connection, db.deleteFrom('confirmations').where('vote', '=', vote));
  return rows.length === rowsPerWrite;
}
