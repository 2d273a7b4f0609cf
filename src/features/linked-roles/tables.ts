import type { MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  // Their tokens are secrets, of no use to the member.
  linked_members: {
    select: (db, { userId }) => [
      db
        .selectFrom('linked_members')
        .select(['user_id', 'locale', 'linked_at', 'pushed'])
        .where('user_id', '=', userId),
    ],
    forget: (db, { userId }) => [db.deleteFrom('linked_members').where('user_id', '=', userId)],
  },
} satisfies Partial<MemberTables>;
