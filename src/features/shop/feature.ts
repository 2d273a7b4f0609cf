import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import {
  closedReport,
  fulfilledMessage,
  purchaseReport,
  refundedMessage,
  refundedReport,
  unreadyMessage,
  unreadyReport,
} from './purchase.ts';
import type { ShopTables } from './store.ts';
import * as sql from './store.ts';
import { awaitRole, closePurchases, memberPurchases } from './store.ts';

export type { UnreadyItem } from './purchase.ts';
export type { PurchaseStore } from './store.ts';

export const shop = {
  sql,
  tables: { purchases: memberPurchases },
  directMessages: [fulfilledMessage, refundedMessage, unreadyMessage],
  ownerReports: [purchaseReport, refundedReport, closedReport, unreadyReport],
  beforeForgetting: closePurchases,
  deleteOfGuild: deleteRowsByKey<ShopTables>('purchases', 'community_id', ['id']),
  beforeRoleSettled: awaitRole,
} satisfies Feature<ShopTables>;
