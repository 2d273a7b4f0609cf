import type { Feature } from '../../core/feature.ts';
import { directMessages, ownerReports } from './effects.ts';
import { awaitRole, closePurchases } from './refund.ts';
import * as sql from './store.ts';
import { tables } from './tables.ts';

export const shop = {
  sql,
  tables,
  directMessages,
  ownerReports,
  beforeForgetting: closePurchases,
  beforeRoleSettled: awaitRole,
  load: () => import('./parts.ts'),
} satisfies Feature;
