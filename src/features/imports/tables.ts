import type { Kysely } from 'kysely';
import { accountIdOf, partsOf } from '../../core/ledger/account-id.ts';
import type { MemberTables } from '../../core/store/member-data/member-table.ts';
import type { Tables } from '../../core/store/tables.ts';

export const tables = {
  imports: { withoutMembers: 'Totals.' },
  imported_items: {
    select: (db, { accounts }) => (accounts.length === 0 ? [] : [importedOf(db, accounts)]),
    forget: (db, { accounts }, pseudonym) =>
      accounts.map((accountId) => {
        const user_id = accountIdOf(partsOf(accountId).accounts, pseudonym);
        return db
          .updateTable('imported_items')
          .set({ user_id })
          .where('user_id', '=', accountId)
          .where('import_id', 'in', db.selectFrom('imports').select('id'));
      }),
  },
} satisfies Partial<MemberTables>;

/** The key begins with the import, so a member's items are looked up for each one. */
function importedOf(db: Kysely<Tables>, accounts: readonly string[]) {
  return db
    .selectFrom('imported_items')
    .selectAll()
    .where('user_id', 'in', accounts)
    .where('import_id', 'in', db.selectFrom('imports').select('id'));
}
