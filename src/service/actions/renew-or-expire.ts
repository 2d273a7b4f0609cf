import type { Database } from '../storage/database.ts';
import { findListing } from '../storage/listings.ts';
import { purchasesDue } from '../storage/purchases.ts';
import { transitionOrder } from './premium.ts';

/**
 * Renews or expires every order whose paid period is over. This service takes no money, so a renewal always succeeds; one that
 * does asks its payment provider here.
 * @returns how many were moved.
 */
export async function renewOrExpire(database: Database, now: number): Promise<number> {
  const due = await purchasesDue(database, now);
  for (const { listingId, orderId, autoRenew } of due) {
    const listing = await findListing(database, listingId);
    if (listing === null) continue;
    await transitionOrder(database, listing, orderId, autoRenew ? 'subscription.renewed' : 'subscription.expired', now);
  }
  return due.length;
}
