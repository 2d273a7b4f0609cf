import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { accountIdOf } from '../../ledger/account-id.ts';
import { directMessageQueue } from '../../outbox/direct-message-queue.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import { grantSource } from '../../rewards/purchase.ts';
import { refundEntry } from '../../tally/purchase-entry.ts';
import type { GrantedRole } from '../../tally/reward-store.ts';
import { appendEntry, lockAccount } from '../accounts.ts';
import { lock } from '../lock.ts';
import { enqueue } from '../outbox/enqueue.ts';
import type { PurchaseRow } from '../purchases.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Locks all purchases until the end of the transaction: the stock, the codes and each purchase's state. */
export function lockShop(connection: Connection, db: Kysely<Tables>): Promise<void> {
  return lock(connection, db, 'shop');
}

/** The purchases of a member's role that are not fulfilled yet. */
export function findOpenPurchases(
  connection: Connection,
  db: Kysely<Tables>,
  { userId, role }: GrantedRole,
): Promise<readonly PurchaseRow[]> {
  const ofRole = db.selectFrom('purchases').selectAll().where('user_id', '=', userId).where('role', '=', role);
  return run(connection, ofRole.where('state', '=', literal('confirmed')).orderBy('id'));
}

/** Stores that confirmed purchases are settled. The shop is locked. `now` in ms since the epoch. */
export async function settlePurchases(
  connection: Connection,
  db: Kysely<Tables>,
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
export async function refundPurchase(
  connection: Connection,
  db: Kysely<Tables>,
  purchase: PurchaseRow,
  now: number,
): Promise<void> {
  const { id, user_id: userId, role } = purchase;
  await refund(connection, db, purchase, now);
  if (role !== null) {
    const grant = db.deleteFrom('grants').where('user_id', '=', userId).where('role', '=', role);
    await run(connection, grant.where('source', '=', grantSource(id)));
  }
  await enqueue({ db, connection }, [messageToBuyer(purchase, 'purchaseRefunded', now)]);
}

/** Returns the price of a confirmed purchase. */
async function refund(connection: Connection, db: Kysely<Tables>, purchase: PurchaseRow, now: number): Promise<void> {
  await settlePurchases(connection, db, [purchase], 'refunded', now);
  const accountId = accountIdOf(purchase.account_guild_id, purchase.user_id);
  const account = await lockAccount(connection, db, accountId);
  await appendEntry(connection, db, account, refundEntry(accountId, purchase, now));
}

/** Refunds purchases of a role that Discord did not give, and reports them to the owner. The shop is locked. */
export async function refundRole(
  connection: Connection,
  db: Kysely<Tables>,
  purchases: readonly PurchaseRow[],
  now: number,
): Promise<void> {
  for (const purchase of purchases) {
    await refundPurchase(connection, db, purchase, now);
    await enqueue({ db, connection }, reportOfRefund(purchase, now));
  }
}

/** The message to the buyer about what became of a purchase. */
export function messageToBuyer(
  { user_id: userId, account_guild_id: accounts, name: item, price }: PurchaseRow,
  type: 'purchaseFulfilled' | 'purchaseRefunded',
  createdAt: number,
): NewEffect<'directMessage'> {
  const content = { userId, message: { type, item, price } };
  return { kind: 'directMessage', queue: directMessageQueue(userId, accounts), content, deliveryId: null, createdAt };
}

/**
 * Refunds the purchases of a member that the owner has not fulfilled yet. The shop is locked. The buyer gets no message.
 * @returns the reports to the owner, which do not name the buyer
 */
export async function closePurchases(
  connection: Connection,
  db: Kysely<Tables>,
  userId: string,
  now: number,
): Promise<readonly NewEffect<'ownerReport'>[]> {
  const ofMember = db.selectFrom('purchases').selectAll().where('user_id', '=', userId);
  const open = ofMember.where('state', '=', literal('confirmed')).where('role', 'is', null).where('code', 'is', null);
  const purchases = await run(connection, open.orderBy('id'));
  for (const purchase of purchases) await refund(connection, db, purchase, now);
  return purchases.flatMap(({ id: purchaseId, owner_channel_id: channelId, name: item, price }) => {
    if (channelId === null) return [];
    const content = { channelId, report: { type: 'purchaseClosed', purchaseId, item, price } as const };
    return [{ kind: 'ownerReport', queue: channelId, content, deliveryId: null, createdAt: now }];
  });
}

function reportOfRefund(purchase: PurchaseRow, createdAt: number): readonly NewEffect<'ownerReport'>[] {
  const { id: purchaseId, user_id: userId, owner_channel_id: channelId, name: item, price } = purchase;
  if (channelId === null) return [];
  const content = { channelId, report: { type: 'purchaseRefunded', purchaseId, userId, item, price } as const };
  return [{ kind: 'ownerReport', queue: channelId, content, deliveryId: null, createdAt }];
}
