import type { MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  handler_subscriptions: { withoutMembers: 'Kinds of handlers.' },
} satisfies Partial<MemberTables>;
