import { day } from '../../platform/durations.ts';
import { requestWindow } from '../listing/request-limit.ts';
import type { Database } from '../storage/database.ts';
import { deleteOldDeliveries } from '../storage/deliveries.ts';
import { deleteOldRequests } from '../storage/requests.ts';
import { deleteExpiredSignInLinks } from '../storage/sign-in-links.ts';
import { renewOrExpire } from './renew-or-expire.ts';

/** How long the dashboard remembers deliveries that are done (ms). */
export const deliveryRetentionMs = 90 * day;

/**
 * What has to be done from time to time: paid periods end, and what nobody needs any more is forgotten.
 * @returns how many orders were moved on, so that webhooks may be waiting.
 */
export async function runMaintenance(database: Database, now: number): Promise<number> {
  await deleteOldRequests(database, now - requestWindow);
  await deleteExpiredSignInLinks(database, now);
  await deleteOldDeliveries(database, now - deliveryRetentionMs);
  return renewOrExpire(database, now);
}
