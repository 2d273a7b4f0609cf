import type { MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  reminders: {
    select: (db, { userId }) => [db.selectFrom('reminders').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('reminders').where('user_id', '=', userId)],
  },
  reminder_stops: {
    select: (db, { userId }) => [db.selectFrom('reminder_stops').selectAll().where('user_id', '=', userId)],
    forget: (db, { userId }) => [db.deleteFrom('reminder_stops').where('user_id', '=', userId)],
  },
} satisfies Partial<MemberTables>;
