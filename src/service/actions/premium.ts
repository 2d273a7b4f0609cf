import { randomUUID } from 'node:crypto';
import { TallyhookError } from '../../platform/errors.ts';
import type { Listing } from '../listing/listing.ts';
import { endOfPeriod } from '../listing/period.ts';
import type { Database } from '../storage/database.ts';
import { type ServiceMember, upsertMember } from '../storage/members.ts';
import { findPurchase, insertPurchase, type Purchase, type Tier, updateActivePurchase } from '../storage/purchases.ts';
import { enqueue } from '../webhooks/enqueue.ts';
import { type LifeCycle, lifeCyclePayload, purchasePayload } from '../webhooks/payloads.ts';

export interface PurchaseOrder {
  readonly buyer: ServiceMember;
  /** Makes it a gift. */
  readonly recipient?: ServiceMember;
  readonly tier?: Tier;
  /** Whether the period is renewed by itself when it ends; true unless said otherwise, never for a lifetime. */
  readonly autoRenew?: boolean;
}

const monthlyTier: Tier = { id: 'supporter', name: 'Supporter', duration: 'monthly', planType: 'user' };

/** What became of an order, and the webhook that was queued for it, if the owner wants any. */
export interface PremiumOutcome {
  readonly purchase: Purchase;
  readonly deliveryId: string | null;
}

/** An order as it is when it has just been paid. */
export function newPurchase(listingId: string, order: PurchaseOrder, now: number): Purchase {
  const tier = order.tier ?? monthlyTier;
  return {
    orderId: `ord_${randomUUID()}`,
    purchaseId: `pur_${randomUUID()}`,
    listingId,
    buyer: order.buyer,
    recipient: order.recipient ?? null,
    tier,
    status: 'active',
    autoRenew: tier.duration !== 'lifetime' && (order.autoRenew ?? true),
    currentPeriodEnd: endOfPeriod(tier.duration, now),
    createdAt: now,
  };
}

/** Somebody buys premium: the order and its webhook are kept together. */
export function purchase(
  database: Database,
  listing: Listing,
  order: PurchaseOrder,
  now: number,
): Promise<PremiumOutcome> {
  const bought = newPurchase(listing.id, order, now);
  return database.transaction().execute(async (sql) => {
    await insertPurchase(sql, bought);
    await upsertMember(sql, bought.buyer);
    if (bought.recipient) await upsertMember(sql, bought.recipient);
    const delivery = await enqueue(sql, listing.id, purchasePayload(listing, bought, now), now);
    return { purchase: bought, deliveryId: delivery?.id ?? null };
  });
}

/**
 * Moves an active order on: the next period, the end, or the end at once because the payment was taken back.
 * @throws TallyhookError `no_active_order` when it is unknown or not active any more.
 */
export function transitionOrder(
  database: Database,
  listing: Listing,
  orderId: string,
  event: LifeCycle,
  now: number,
): Promise<PremiumOutcome> {
  return database.transaction().execute(async (sql) => {
    const before = await findPurchase(sql, orderId);
    if (before === null || before.listingId !== listing.id) throw noActiveOrder(orderId);
    const after = moved(before, event, now);
    if (!(await updateActivePurchase(sql, before, after))) throw noActiveOrder(orderId);
    const delivery = await enqueue(sql, listing.id, lifeCyclePayload(event, listing, after, now), now);
    return { purchase: after, deliveryId: delivery?.id ?? null };
  });
}

function moved(before: Purchase, event: LifeCycle, now: number): Purchase {
  switch (event) {
    case 'subscription.renewed':
      return { ...before, currentPeriodEnd: endOfPeriod(before.tier.duration, before.currentPeriodEnd ?? now) };
    case 'subscription.expired':
      return { ...before, status: 'expired', autoRenew: false };
    case 'subscription.revoked':
      return { ...before, status: 'revoked', autoRenew: false, currentPeriodEnd: now };
  }
}

function noActiveOrder(orderId: string): TallyhookError {
  return new TallyhookError('no_active_order', `There is no active order "${orderId}" of this listing.`);
}
