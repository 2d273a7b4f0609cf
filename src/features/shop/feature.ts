import type { Feature } from '../../core/feature.ts';
import { directMessages, ownerReports } from './effects.ts';
import { awaitRole, closePurchases } from './refund.ts';
import * as sql from './store.ts';
import { deletePurchases, tables } from './tables.ts';

export const shop = {
  sql,
  tables,
  directMessages,
  ownerReports,
  beforeForgetting: closePurchases,
  deleteOfGuild: deletePurchases,
  beforeRoleSettled: awaitRole,
  load: () => import('./parts.ts'),
} satisfies Feature;
