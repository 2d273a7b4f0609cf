import type { MemberTables } from '../../core/store/member-data/member-table.ts';
import { closePurchases, lockShop } from '../../core/store/writes/refund.ts';

export const tables = {
  purchases: {
    select: (db, { userId }) => [db.selectFrom('purchases').selectAll().where('user_id', '=', userId)],
    // An issued code stays, so that it is not issued again.
    forget: (db, { userId }, user_id) => [db.updateTable('purchases').set({ user_id }).where('user_id', '=', userId)],
    /** A purchase that is settled meanwhile has read its buyer. */
    async beforeForget({ db, connection }, userId, now) {
      await lockShop(connection, db);
      return closePurchases(connection, db, userId, now);
    },
  },
} satisfies Partial<MemberTables>;
