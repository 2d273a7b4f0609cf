import type { Feature } from '../../core/feature.ts';
import { closePurchases, lockShop } from '../../core/store/writes/refund.ts';
import { directMessages, ownerReports } from './effects.ts';
import { tables } from './tables.ts';

export const shop = {
  tables,
  directMessages,
  ownerReports,
  /** A purchase that is settled meanwhile has read its buyer. */
  async beforeForgetting({ db, connection }, userId, now) {
    await lockShop(connection, db);
    return closePurchases(connection, db, userId, now);
  },
  load: () => import('./parts.ts'),
} satisfies Feature;
