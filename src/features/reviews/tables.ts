import type { MemberTables } from '../../core/store/member-data/member-table.ts';

export const tables = {
  announced_reviews: { withoutMembers: 'Digests of reviews, whose authors have no id.' },
} satisfies Partial<MemberTables>;
