import { day, hour, minute } from '@tallyhook/platform/durations';
import { messageOf, TallyhookError } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { deleteClosedReports } from './abuse/reports.ts';
import { transitionOrder } from './actions/orders.ts';
import type { ServiceContext } from './context.ts';
import type { RateLimits } from './rate-limits.ts';
import type { Database } from './storage/database.ts';
import { deleteOldDeliveries } from './storage/deliveries/deliveries.ts';
import { deleteListingRows } from './storage/listings/delete-listing.ts';
import { updateGrowth } from './storage/listings/listing-days.ts';
import { findListing } from './storage/listings/listings.ts';
import { finishMemberDeletions } from './storage/members/member-data.ts';
import { duePurchases } from './storage/purchases.ts';

const intervalMs = 1 * minute;
const growthIntervalMs = 1 * hour;

/** How long finished deliveries and closed reports are stored (ms). */
const deliveryRetentionMs = 90 * day;

const tablesThatExpire = [...(['sign_in_links', 'proven_guilds', 'connect_requests', 'used_challenges'] as const)];

/**
 * Deletes expired rows and ends paid periods once a minute, and calculates the growth of listings once an hour.
 * @param onQueued is called after orders were changed, because webhooks may be waiting
 */
export function startMaintenance(
  { database, clock, log, limits }: ServiceContext & { readonly limits: Pick<RateLimits, 'deleteExpired'> },
  onQueued: () => void,
) {
  let failure: string | null = null;
  let growthAt = Number.NEGATIVE_INFINITY;
  const loop = createLoop({
    async round(signal) {
      const now = clock.now();
      if ((await runMaintenance(database, now)) > 0) onQueued();
      await limits.deleteExpired(now);
      if (now - growthAt >= growthIntervalMs) {
        await updateGrowth(database, now, signal);
        growthAt = now;
      }
      failure = null;
    },
    pauseMs: intervalMs,
    onError(error) {
      failure = `Maintenance failed: ${messageOf(error)}`;
      log.error({ error: messageOf(error) }, 'maintenance failed');
    },
    clock,
  });
  loop.start();
  /** `failure`: why the last run failed; null if it did not. */
  return { failure: () => failure, stop: loop.stop };
}

/** @returns the number of orders that were renewed or expired. */
async function runMaintenance(database: Database, now: number): Promise<number> {
  for (const table of tablesThatExpire) await database.deleteFrom(table).where('expires_at', '<=', now).execute();
  while (await deleteOldDeliveries(database, now - deliveryRetentionMs));
  await deleteClosedReports(database, now - deliveryRetentionMs);
  const orders = await renewOrExpireOrders(database, now);
  await finishMemberDeletions(database, now);
  await deleteListingRows(database);
  return orders;
}

/**
 * Renews or expires every order whose paid period has ended. This service takes no payments, so a renewal always
 * succeeds; a service that does would call its payment provider here.
 */
async function renewOrExpireOrders(database: Database, now: number): Promise<number> {
  const purchases = await duePurchases(database, now);
  for (const { listingId, orderId, autoRenew } of purchases) {
    const listing = await findListing(database, listingId);
    if (listing === null) continue;
    try {
      const event = autoRenew ? 'subscription.renewed' : 'subscription.expired';
      await transitionOrder(database, listing, orderId, event, now);
    } catch (thrown) {
      // Another process was faster.
      if (!(thrown instanceof TallyhookError && thrown.code === 'no_active_order')) throw thrown;
    }
  }
  return purchases.length;
}
