import { accountIdOf } from '../../core/ledger/account.ts';
import type { MessageType } from '../../core/outbox/effect-kind.ts';
import { directMessage, ownerReport } from '../../core/outbox/effect-kind.ts';
import type { NewEffect } from '../../core/outbox/outbox.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import { appendEntry, lockAccount, lockAccountsOf } from '../../core/store/accounts.ts';
import { lock } from '../../core/store/lock.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { SettleRole } from '../../core/store/sql-module.ts';
import { closedReport, type PurchasedItem, refundedMessage, refundedReport } from './effects.ts';
import { grantSource, refundEntry } from './rules.ts';
import type { PurchaseRow, ShopSql } from './tables.ts';

/** Locks all purchases until the end of the transaction: the stock, the codes and each purchase's state. */
export function lockShop({ db, connection }: ShopSql): Promise<void> {
  return lock(connection, db, 'shop');
}

/** Stores that confirmed purchases are settled. The shop is locked. `now` in ms since the epoch. */
export async function settlePurchases(
  { db, connection }: ShopSql,
  purchases: readonly PurchaseRow[],
  state: 'fulfilled' | 'refunded',
  now: number,
): Promise<void> {
  for (const { id } of purchases) {
    await run(connection, db.updateTable('purchases').set({ state, settled_at: now }).where('id', '=', id));
  }
}

/**
 * Returns the price of a confirmed purchase, removes its grant, and tells the buyer. The shop is locked. `now` in ms
 * since the epoch.
 */
export async function refundPurchase(sql: ShopSql, purchase: PurchaseRow, now: number): Promise<void> {
  const { db, connection } = sql;
  const { id, user_id: userId, guild_id: guildId, role } = purchase;
  await refund(sql, purchase, now);
  if (role !== null) {
    const grant = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
    await run(connection, grant.where('source', '=', grantSource(id)).where('guild_id', '=', guildId));
  }
  await enqueue(sql, [messageToBuyer(purchase, refundedMessage, now)]);
}

/** Returns the price of a confirmed purchase. */
async function refund(sql: ShopSql, purchase: PurchaseRow, now: number): Promise<void> {
  const { db, connection } = sql;
  await settlePurchases(sql, [purchase], 'refunded', now);
  const accountId = accountIdOf(purchase.community_id, purchase.user_id);
  const account = await lockAccount(connection, db, accountId);
  await appendEntry(connection, db, account, refundEntry(accountId, purchase, now));
}

/** The message to the buyer about what became of a purchase. */
export function messageToBuyer(
  { user_id: userId, community_id: communityId, name: item, price }: PurchaseRow,
  type: MessageType<string, PurchasedItem>,
  createdAt: number,
): NewEffect {
  return directMessage(communityId, userId, type, { item, price }, createdAt);
}

/**
 * Finds the purchases that wait for a role, which are fulfilled by it, or refunded and reported to the owner if Discord
 * did not give it. Purchases lock the shop and the account before they insert grants.
 */
export async function awaitRole(sql: ShopSql, role: GrantedRole): Promise<SettleRole | null> {
  const { db, connection } = sql;
  if ((await findOpenPurchases(sql, role)).length === 0) return null;
  await lockShop(sql);
  await lockAccountsOf(connection, db, role.userId);
  const purchases = await findOpenPurchases(sql, role);
  return async (isGiven, now) => {
    if (isGiven) return settlePurchases(sql, purchases, 'fulfilled', now);
    for (const purchase of purchases) {
      await refundPurchase(sql, purchase, now);
      await enqueue(sql, reportOfRefund(purchase, now));
    }
  };
}

/** The purchases of a member's role that are not fulfilled yet. */
function findOpenPurchases(
  { db, connection }: ShopSql,
  { userId, role, guildId }: GrantedRole,
): Promise<readonly PurchaseRow[]> {
  const ofRole = db.selectFrom('purchases').selectAll().where('user_id', '=', userId).where('role', '=', role);
  const open = ofRole.where('guild_id', '=', guildId).where('state', '=', literal('confirmed'));
  return run(connection, open.orderBy('id'));
}

/**
 * Refunds the purchases of a member that the owner has not fulfilled yet. The buyer gets no message.
 * @returns the reports to the owner, which do not name the buyer
 */
export async function closePurchases(sql: ShopSql, userId: string, now: number): Promise<readonly NewEffect[]> {
  const { db, connection } = sql;
  // A purchase that is settled meanwhile has read its buyer.
  await lockShop(sql);
  const ofMember = db.selectFrom('purchases').selectAll().where('user_id', '=', userId);
  const open = ofMember.where('state', '=', literal('confirmed')).where('role', 'is', null).where('code', 'is', null);
  const purchases = await run(connection, open.orderBy('id'));
  for (const purchase of purchases) await refund(sql, purchase, now);
  return purchases.flatMap(({ id: purchaseId, community_id: communityId, owner_channel_id: channelId, ...row }) => {
    const { name: item, price } = row;
    if (channelId === null) return [];
    return [ownerReport(communityId, channelId, closedReport, { purchaseId, item, price }, now)];
  });
}

function reportOfRefund(purchase: PurchaseRow, createdAt: number): readonly NewEffect[] {
  const { id: purchaseId, community_id: communityId, user_id: userId, owner_channel_id: channelId } = purchase;
  const { name: item, price } = purchase;
  if (channelId === null) return [];
  return [ownerReport(communityId, channelId, refundedReport, { purchaseId, userId, item, price }, createdAt)];
}
