import { randomUUID } from 'node:crypto';
import { day } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember, withSafeName } from '../storage/members/members.ts';
import { findPurchase, insertPurchase, type Purchase, type Tier, updateActivePurchase } from '../storage/purchases.ts';
import { enqueue } from '../webhooks/enqueue.ts';
import type { LifecycleEvent } from '../webhooks/event-kinds.ts';
import { lifecyclePayload, purchasePayload } from '../webhooks/payloads.ts';

/** An order of premium, for the buyer or as a gift. */
export interface PurchaseOrder {
  readonly buyer: ServiceMember;
  /** The recipient, if the order is a gift. */
  readonly recipient?: ServiceMember;
  readonly tier?: Tier;
  /** True if the order is renewed when its period ends (default true; always false for a lifetime). */
  readonly autoRenew?: boolean;
}

const defaultTier: Tier = { id: 'supporter', name: 'Supporter', duration: 'monthly', planType: 'user' };

/** An order after a change, and the id of the queued webhook delivery (null if the listing has no webhook for it). */
export interface PremiumOutcome {
  readonly purchase: Purchase;
  readonly deliveryId: string | null;
}

/** The end of a paid period that begins at `start` (both ms since the epoch), or null for a lifetime. */
export function endOfPeriod(duration: Tier['duration'], start: number): number | null {
  if (duration === 'lifetime') return null;
  return duration === 'weekly' ? start + 7 * day : nextMonth(start);
}

/** One month after `start` (ms since the epoch), by the calendar of UTC; in a shorter month, on its last day. */
function nextMonth(start: number): number {
  const next = new Date(start);
  const dayOfMonth = next.getUTCDate();
  next.setUTCMonth(next.getUTCMonth() + 1);
  if (next.getUTCDate() !== dayOfMonth) next.setUTCDate(0);
  return next.getTime();
}

export function newPurchase(listingId: string, order: PurchaseOrder, now: number): Purchase {
  const tier = order.tier ?? defaultTier;
  return {
    orderId: `ord_${randomUUID()}`,
    purchaseId: `pur_${randomUUID()}`,
    listingId,
    buyer: withSafeName(order.buyer),
    recipient: order.recipient ? withSafeName(order.recipient) : null,
    tier,
    status: 'active',
    autoRenew: tier.duration !== 'lifetime' && (order.autoRenew ?? true),
    currentPeriodEnd: endOfPeriod(tier.duration, now),
    createdAt: now,
  };
}

/** Stores an order and its webhook delivery in one transaction. */
export function purchase(
  database: Database,
  listing: Listing,
  order: PurchaseOrder,
  now: number,
): Promise<PremiumOutcome> {
  const newOrder = newPurchase(listing.id, order, now);
  return database.transaction().execute(async (sql) => {
    await insertPurchase(sql, newOrder);
    await upsertMember(sql, newOrder.buyer);
    if (newOrder.recipient) await upsertMember(sql, newOrder.recipient);
    const deliveryId = await enqueue(sql, listing.id, purchasePayload(listing, newOrder, now), now);
    return { purchase: newOrder, deliveryId };
  });
}

/**
 * Renews, expires or revokes an active order. A revocation ends the period immediately.
 * @throws TallyhookError `no_active_order` if the order is unknown or not active
 */
export function transitionOrder(
  database: Database,
  listing: Listing,
  orderId: string,
  event: LifecycleEvent,
  now: number,
): Promise<PremiumOutcome> {
  return database.transaction().execute(async (sql) => {
    const before = await findPurchase(sql, orderId);
    if (before === null || before.listingId !== listing.id) throw noActiveOrderError(orderId);
    const after = applyLifecycleEvent(before, event, now);
    if (!(await updateActivePurchase(sql, before, after))) throw noActiveOrderError(orderId);
    const deliveryId = await enqueue(sql, listing.id, lifecyclePayload(event, listing, after, now), now);
    return { purchase: after, deliveryId };
  });
}

function applyLifecycleEvent(before: Purchase, event: LifecycleEvent, now: number): Purchase {
  switch (event) {
    case 'subscription.renewed':
      return { ...before, currentPeriodEnd: endOfPeriod(before.tier.duration, before.currentPeriodEnd ?? now) };
    case 'subscription.expired':
      return { ...before, status: 'expired', autoRenew: false };
    case 'subscription.revoked':
      return { ...before, status: 'revoked', autoRenew: false, currentPeriodEnd: now };
  }
}

function noActiveOrderError(orderId: string): TallyhookError {
  return new TallyhookError('no_active_order', `The listing has no active order "${orderId}".`);
}
