import type { Feature } from '../../core/feature.ts';
import { accountIdOf, partsOf } from '../../core/ledger/account.ts';
import * as sql from './store.ts';

/** The key begins with the import, so a member's items are looked up for each one. */
export const imports = {
  sql,
  tables: {
    imports: { withoutMembers: 'Totals.' },
    imported_items: {
      select(db, { accounts }) {
        if (accounts.length === 0) return [];
        const items = db.selectFrom('imported_items').selectAll().where('account_id', 'in', accounts);
        return [items.where('import_id', 'in', db.selectFrom('imports').select('id'))];
      },
      forget: (db, { accounts }, pseudonym) =>
        accounts.map((accountId) => {
          const account_id = accountIdOf(partsOf(accountId).communityId, pseudonym);
          const items = db.updateTable('imported_items').set({ account_id }).where('account_id', '=', accountId);
          return items.where('import_id', 'in', db.selectFrom('imports').select('id'));
        }),
    },
  },
} satisfies Feature;
