import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { accountIdOf } from '../../ledger/account-id.ts';
import { directMessageQueue } from '../../outbox/direct-message-queue.ts';
import { handlerQueue, type PurchaseEvent } from '../../outbox/handler-events.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import { decidePurchase, grantSource, type PurchaseRejection } from '../../rewards/purchase.ts';
import { type ShopItem, withoutCodes } from '../../rewards/shop-item.ts';
import type { PurchaseResult, SettlementResult } from '../../rewards/stored-purchase.ts';
import { roleEffect } from '../../tally/grants.ts';
import { purchaseEntry } from '../../tally/purchase-entry.ts';
import type { PurchaseOrder, Settlement } from '../../tally/purchase-store.ts';
import { appendEntry, lockAccount, releaseAccount } from '../accounts.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { countSold, leftOf, type PurchaseRow, storedGuildId, toPurchase, unissuedCodes } from '../purchases.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lockShop, messageToBuyer, refundPurchase, settlePurchases } from './refund.ts';

/** Purchases, for use inside a transaction of `connection`. */
export function purchaseWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** Sells an item once per confirmation. `now` in ms since the epoch. */
    async purchase(order: PurchaseOrder, now: number): Promise<PurchaseResult> {
      const { confirmationId, item, accounts, guildId, ownerChannelId, confirmedPrice } = order;
      const { userId, roles } = order.member;
      await lockShop(connection, db);
      const earlier = await findConfirmation(confirmationId);
      if (earlier !== undefined) {
        if (earlier.user_id !== userId) return { outcome: 'foreign' };
        return { outcome: 'purchased', purchase: toPurchase(earlier), repeated: true };
      }
      const account = await lockAccount(connection, db, accountIdOf(accounts, userId));
      const reject = async (rejection: PurchaseRejection): Promise<PurchaseResult> => {
        await releaseAccount(connection, db, account);
        return { outcome: 'rejected', rejection, balance: account.credits };
      };
      if (item === null) return reject('unknown_item');
      const grants = await run(connection, db.selectFrom('grants').selectAll().where('user_id', '=', userId));
      const sold = item.stock === null ? 0 : ((await countSold(connection, db, guildId, [item.id])).get(item.id) ?? 0);
      const unissued = await unissuedCodes(connection, db, { guildId, accounts, item }, 1);
      const decision = decidePurchase(withoutCodes(item), {
        ...{ confirmedPrice, balance: account.credits, roles, grants, now },
        left: leftOf(item, sold, unissued.length),
        hasOwnerChannel: ownerChannelId !== null,
      });
      if (decision.rejection !== null) return reject(decision.rejection);
      const entry = purchaseEntry(account.id, item, now);
      const { credits: balance } = await appendEntry(connection, db, account, entry);
      const { state, until } = decision;
      const purchase = await insertPurchase(order, item, { state, until, balance, code: unissued[0] ?? null, at: now });
      await enqueue({ db, connection }, [
        ...(await effectsOf(purchase)),
        ...(order.isHandled ? [handlerCallOf(purchase, guildId)] : []),
      ]);
      return { outcome: 'purchased', purchase: toPurchase(purchase), repeated: false };
    },

    /** Fulfils or refunds a purchase that the owner fulfils, once. Null if it is not such a purchase of the channel. */
    async settlePurchase({ purchaseId, state, channelId }: Settlement, now: number): Promise<SettlementResult | null> {
      await lockShop(connection, db);
      const [stored] = await run(connection, db.selectFrom('purchases').selectAll().where('id', '=', purchaseId));
      const isManual = stored?.role === null && stored.code === null;
      if (stored === undefined || !isManual || stored.owner_channel_id !== channelId) return null;
      if (stored.state !== 'confirmed') return { purchase: toPurchase(stored), settled: false, queues: [] };
      if (state === 'refunded') {
        await refundPurchase(connection, db, stored, now);
      } else {
        await settlePurchases(connection, db, [stored], 'fulfilled', now);
        await enqueue({ db, connection }, [messageToBuyer(stored, 'purchaseFulfilled', now)]);
      }
      const queues = [directMessageQueue(stored.user_id, stored.account_guild_id)];
      return { purchase: toPurchase({ ...stored, state }), settled: true, queues };
    },
  };

  async function findConfirmation(confirmationId: string): Promise<PurchaseRow | undefined> {
    const purchases = db.selectFrom('purchases').selectAll();
    return (await run(connection, purchases.where('confirmation_id', '=', confirmationId)))[0];
  }

  async function insertPurchase(
    { confirmationId, member, accounts, guildId, ownerChannelId }: PurchaseOrder,
    { id, name, price, role }: ShopItem,
    result: Pick<PurchaseRow, 'state' | 'until' | 'balance' | 'code' | 'at'>,
  ): Promise<PurchaseRow> {
    const row = {
      ...{ confirmation_id: confirmationId, user_id: member.userId },
      ...{ account_guild_id: accounts, guild_id: storedGuildId(guildId) },
      ...{ owner_channel_id: ownerChannelId, item: id, name, price, role, ...result },
      settled_at: result.state === 'fulfilled' ? result.at : null,
    };
    // A driver's error about a conflict would contain the code.
    const insert = db.insertInto('purchases').values(row);
    const [inserted] = await run(connection, insert.onConflict((conflict) => conflict.doNothing()).returningAll());
    if (inserted === undefined) throw new Error('The purchase could not be inserted.');
    return inserted;
  }

  /** What the purchase needs outside of the database. Inserts the grant of a role. */
  async function effectsOf(purchase: PurchaseRow): Promise<readonly NewEffect[]> {
    const { id, user_id: userId, guild_id: guildId, role, until, at, owner_channel_id: channelId } = purchase;
    if (role !== null) {
      const grant = {
        user_id: userId,
        role,
        source: grantSource(id),
        guild_id: guildId,
        until,
        state: 'pending',
      } as const;
      await run(connection, db.insertInto('grants').values(grant));
      return [roleEffect({ guildId, userId, role }, null, at)];
    }
    if (purchase.code !== null || channelId === null) return [];
    const report = { type: 'purchase', purchaseId: id, userId, item: purchase.name, price: purchase.price } as const;
    const content = { channelId, report };
    return [{ kind: 'ownerReport', queue: channelId, content, deliveryId: null, createdAt: at }];
  }
}

/** The call of the handler for a purchase. */
function handlerCallOf(purchase: PurchaseRow, guildId: string | null): NewEffect<'handler'> {
  const { id: purchaseId, user_id: userId, item, name, price, balance, role, at } = purchase;
  const event: PurchaseEvent = {
    ...{ type: 'purchase', listing: null, guildId, deliveryId: null, at, purchaseId, userId, item, name, price, role },
    ...{ credits: 0 - price, balance },
  };
  const content = { id: `purchase-${purchaseId}-${at.toString(36)}`, event };
  return { kind: 'handler', queue: handlerQueue('purchase', guildId), content, deliveryId: null, createdAt: at };
}
