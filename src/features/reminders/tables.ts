import { deletedRows, type MemberTables } from '../../core/store/member-data/member-table.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { type EndedGuild, rowsPerWrite, type Sql } from '../../core/store/sql-module.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /** When members are to be reminded of a vote; `leased_until` is null if no process is checking it. */
    reminders: { user_id: string; listing: string; due_at: number; leased_until: number | null };
    /** Whose reminders the program has switched off, and 1 if the member was told of it. */
    reminder_stops: { user_id: string; reason: 'direct_messages_closed'; at: number; told: number };
  }
}

export const tables = {
  reminders: deletedRows('reminders'),
  reminder_stops: deletedRows('reminder_stops'),
} satisfies Partial<MemberTables>;

/** Of a community that has ended. */
export async function deleteReminders({ db, connection }: Sql, { listings }: EndedGuild): Promise<boolean> {
  if (listings.length === 0) return false;
  const own = db.selectFrom('reminders').select(['user_id', 'listing']).where('listing', 'in', listings);
  const rows = await run(connection, own.limit(literal(rowsPerWrite)));
  for (const { user_id, listing } of rows) {
    const reminder = db.deleteFrom('reminders').where('user_id', '=', user_id);
    await run(connection, reminder.where('listing', '=', listing));
  }
  return rows.length === rowsPerWrite;
}
