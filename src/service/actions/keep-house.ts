import { day } from '../../clock.ts';
import { requestWindow } from '../listing/request-limit.ts';
import type { Database } from '../storage/database.ts';
import { forgetDeliveries } from '../storage/deliveries.ts';
import { forgetRequests } from '../storage/requests.ts';
import { forgetSignInLinks } from '../storage/sign-in-links.ts';
import { endPeriods } from './end-periods.ts';

/** How long the dashboard remembers deliveries that are done (ms). */
export const deliveryMemory = 90 * day;

/**
 * What has to be done from time to time: paid periods end, and what nobody needs any more is forgotten.
 * @returns how many orders were moved on, so that webhooks may be waiting.
 */
export async function keepHouse(database: Database, now: number): Promise<number> {
  await forgetRequests(database, now - requestWindow);
  await forgetSignInLinks(database, now);
  await forgetDeliveries(database, now - deliveryMemory);
  return endPeriods(database, now);
}
