import { deletedRows, type MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  reminders: deletedRows('reminders'),
  reminder_stops: deletedRows('reminder_stops'),
} satisfies Partial<MemberTables>;
