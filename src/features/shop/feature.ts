import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { renamedRows } from '../../core/store/member-data/member-table.ts';
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
import { awaitRole, closePurchases } from './store.ts';

export const shop = {
  sql,
  // An issued code stays, so that it is not issued again.
  tables: { purchases: renamedRows<ShopTables>('purchases') },
  directMessages: [fulfilledMessage, refundedMessage, unreadyMessage],
  ownerReports: [purchaseReport, refundedReport, closedReport, unreadyReport],
  beforeForgetting: closePurchases,
  deleteOfGuild: deleteRowsByKey<ShopTables>('purchases', 'community_id', ['id']),
  beforeRoleSettled: awaitRole,
} satisfies Feature<ShopTables>;
