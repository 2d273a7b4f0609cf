import { z } from 'zod';
import type { Sql } from './database.ts';
import type { ServiceMember } from './members/members.ts';
import type { PurchaseStatus, Row } from './tables.ts';

/** A premium product, as stored in the column `tier_json`. */
const tierSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    duration: z.enum(['weekly', 'monthly', 'lifetime']),
    planType: z.enum(['user', 'server']),
  })
  .readonly();
/** A premium product: its duration, and whether it is for a member or a server. */
export type Tier = z.infer<typeof tierSchema>;

/** A premium order. Times are ms since the epoch. */
export interface Purchase {
  /** Does not change when the order is renewed. */
  readonly orderId: string;
  /** The id of the first payment. */
  readonly purchaseId: string;
  readonly listingId: string;
  readonly buyer: ServiceMember;
  /** The recipient of a gift; null if the buyer is the recipient. */
  readonly recipient: ServiceMember | null;
  readonly tier: Tier;
  readonly status: PurchaseStatus;
  readonly autoRenew: boolean;
  /** End of the paid period; null for a lifetime. */
  readonly currentPeriodEnd: number | null;
  readonly createdAt: number;
}

export async function insertPurchase(sql: Sql, purchase: Purchase): Promise<void> {
  await sql
    .insertInto('purchases')
    .values({
      order_id: purchase.orderId,
      purchase_id: purchase.purchaseId,
      listing_id: purchase.listingId,
      buyer_id: purchase.buyer.userId,
      buyer_name: purchase.buyer.username,
      recipient_id: purchase.recipient?.userId ?? null,
      recipient_name: purchase.recipient?.username ?? null,
      tier_json: JSON.stringify(purchase.tier),
      status: purchase.status,
      auto_renew: purchase.autoRenew ? 1 : 0,
      current_period_end: purchase.currentPeriodEnd,
      created_at: purchase.createdAt,
    })
    .execute();
}

export async function findPurchase(sql: Sql, orderId: string): Promise<Purchase | null> {
  const row = await sql.selectFrom('purchases').selectAll().where('order_id', '=', orderId).executeTakeFirst();
  return row ? fromRow(row) : null;
}

/** The last orders of a listing, newest first. */
export async function purchasesOf(sql: Sql, listingId: string, limit: number): Promise<Purchase[]> {
  const rows = await sql
    .selectFrom('purchases')
    .selectAll()
    .where('listing_id', '=', listingId)
    .orderBy('created_at', 'desc')
    .orderBy('order_id')
    .limit(limit)
    .execute();
  return rows.map(fromRow);
}

/**
 * Updates an active order; false if it is not active or was changed since `before` was read. Concurrent calls update it
 * once.
 */
export async function updateActivePurchase(sql: Sql, before: Purchase, after: Purchase): Promise<boolean> {
  const { numUpdatedRows } = await sql
    .updateTable('purchases')
    .set({ status: after.status, auto_renew: after.autoRenew ? 1 : 0, current_period_end: after.currentPeriodEnd })
    .where('order_id', '=', before.orderId)
    .where('status', '=', 'active')
    .where('current_period_end', 'is not distinct from', before.currentPeriodEnd)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The active orders whose paid period has ended at `now` (ms since the epoch). */
export async function duePurchases(sql: Sql, now: number): Promise<Purchase[]> {
  const rows = await sql
    .selectFrom('purchases')
    .selectAll()
    .where('status', '=', 'active')
    .where('current_period_end', '<=', now)
    .execute();
  return rows.map(fromRow);
}

function fromRow(row: Row<'purchases'>): Purchase {
  return {
    orderId: row.order_id,
    purchaseId: row.purchase_id,
    listingId: row.listing_id,
    buyer: { userId: row.buyer_id, username: row.buyer_name },
    recipient: row.recipient_id === null ? null : { userId: row.recipient_id, username: row.recipient_name ?? '' },
    tier: tierSchema.parse(JSON.parse(row.tier_json)),
    status: row.status,
    autoRenew: row.auto_renew === 1,
    currentPeriodEnd: row.current_period_end,
    createdAt: row.created_at,
  };
}
