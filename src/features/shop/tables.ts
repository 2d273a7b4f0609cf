import { type MemberTables, renamedRows } from '../../core/store/member-data/member-table.ts';

export const tables = {
  // An issued code stays, so that it is not issued again.
  purchases: renamedRows('purchases'),
} satisfies Partial<MemberTables>;
