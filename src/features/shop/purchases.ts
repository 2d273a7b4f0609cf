import type { CommunityId } from '../../core/ledger/account.ts';
import { literal, preparedStatement, run } from '../../core/store/query-builder.ts';
import type { ShopItem } from './item.ts';
import type { StoredPurchase } from './purchase.ts';
import type { PurchaseRow, ShopSql, ShopTables } from './tables.ts';

/** Codes per statement: SQLite accepts 32,766 parameters. */
const codesPerQuery = 1_000;

/** The stored `guild_id` of a purchase. */
export function storedGuildId(guildId: string | null): string {
  return guildId ?? '';
}

export function toPurchase({ user_id: userId, item, name, price, ...row }: PurchaseRow): StoredPurchase {
  const { id, state, balance, role, until, code, at } = row;
  return { id, userId, item, name, price, state, balance, role, until, code, at };
}

/** How often each item of a shop was sold, without refunds. Items that were not sold are left out. */
export async function countSold(
  sql: ShopSql,
  communityId: CommunityId,
  items: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (items.length === 0) return new Map();
  const rows = await countPurchases(sql, { communityId, items });
  return new Map(rows.map(({ item, count }) => [item, Number(count)]));
}

const countPurchases = preparedStatement<{ communityId: CommunityId; items: readonly string[] }, ShopTables>()(
  (db, placeholder) =>
    db
      .selectFrom('purchases')
      .select((eb) => ['item', eb.fn.countAll<number>().as('count')])
      .where('community_id', '=', placeholder('communityId'))
      .where('item', 'in', placeholder('items'))
      .where('state', '<>', literal('refunded'))
      .groupBy('item'),
);

/**
 * The codes that the shop of a community has not issued yet, in their order. Codes are compared with those of all its
 * purchases: an item may have another id now, and a code is issued once. What other communities have
 * issued is not looked at, so that one neither uses up the codes of another nor learns of them.
 * @param limit how many to find at least, if there are as many
 */
export async function unissuedCodes(
  { db, connection }: ShopSql,
  communityId: CommunityId,
  { codes }: Pick<ShopItem, 'codes'>,
  limit: number,
): Promise<readonly string[]> {
  const unissued: string[] = [];
  const purchases = db.selectFrom('purchases').where('community_id', '=', communityId);
  for (let start = 0; start < (codes?.length ?? 0) && unissued.length < limit; start += codesPerQuery) {
    const some = codes?.slice(start, start + codesPerQuery) ?? [];
    const rows = await run(connection, purchases.select('code').where('code', 'in', some));
    const issued = new Set(rows.map(({ code }) => code));
    unissued.push(...some.filter((code) => !issued.has(code)));
  }
  return unissued;
}
