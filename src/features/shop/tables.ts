import type { MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  purchases: {
    select: (db, { userId }) => [db.selectFrom('purchases').selectAll().where('user_id', '=', userId)],
    // An issued code stays, so that it is not issued again.
    forget: (db, { userId }, user_id) => [db.updateTable('purchases').set({ user_id }).where('user_id', '=', userId)],
  },
} satisfies Partial<MemberTables>;
