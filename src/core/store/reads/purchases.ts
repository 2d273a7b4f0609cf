import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { accountIdOf, homeAccounts } from '../../ledger/account-id.ts';
import { decidePurchase } from '../../rewards/purchase.ts';
import { type ShopItem, withoutCodes } from '../../rewards/shop-item.ts';
import type { Offer } from '../../rewards/stored-purchase.ts';
import type { PurchaseStore, ShopContext } from '../../tally/purchase-store.ts';
import { countSold, leftOf, toPurchase, unissuedCodes } from '../purchases.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

export function sqlPurchases(db: Kysely<Tables>, reading: Connection, write: Write): PurchaseStore {
  /** How often each item can still be bought, by its id. */
  async function stockOf({ guildId, accounts, items }: ShopContext): Promise<ReadonlyMap<string, number | null>> {
    const limited = items.filter(({ stock }) => stock !== null).map(({ id }) => id);
    const sold = await countSold(reading, db, guildId, limited);
    const left = new Map<string, number | null>();
    for (const item of items) {
      const unissued = await unissuedCodes(reading, db, { guildId, accounts, item }, Number.POSITIVE_INFINITY);
      left.set(item.id, leftOf(item, sold.get(item.id) ?? 0, unissued.length));
    }
    return left;
  }

  return {
    async offers(shop, { userId, roles }, now) {
      const balances = db
        .selectFrom('balances')
        .select('credits')
        .where('user_id', '=', accountIdOf(shop.accounts, userId));
      const balance = (await run(reading, balances))[0]?.credits ?? 0;
      const grants = await run(reading, db.selectFrom('grants').selectAll().where('user_id', '=', userId));
      const stock = await stockOf(shop);
      const hasOwnerChannel = shop.ownerChannelId !== null;
      const offer = (shopItem: ShopItem): Offer => {
        const item = withoutCodes(shopItem);
        const left = stock.get(item.id) ?? null;
        const context = { confirmedPrice: item.price, balance, left, roles, grants, hasOwnerChannel, now };
        const decision = decidePurchase(item, context);
        const until = decision.rejection === null ? decision.until : null;
        return { item, left, rejection: decision.rejection, until };
      };
      return { balance, offers: shop.items.map(offer) };
    },
    purchase: (order, now) => write('purchase', order, now),
    settle: (settlement, now) => write('settlePurchase', settlement, now),
    async purchasesOf(userId, accounts, limit) {
      const ofUser = db
        .selectFrom('purchases')
        .selectAll()
        .where('user_id', '=', userId)
        // Purchases from before there were accounts per guild were paid by those of the home community.
        .where(({ eb, or }) =>
          accounts === homeAccounts
            ? eb('account_guild_id', '=', homeAccounts)
            : or([eb('account_guild_id', '=', accounts), eb('guild_id', '=', accounts)]),
        );
      return (await run(reading, ofUser.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit))).map(toPurchase);
    },
  };
}
