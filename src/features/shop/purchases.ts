import type { Kysely, Selectable } from 'kysely';
import { homeAccounts } from '../../core/ledger/account.ts';
import { literal, preparedStatement, run } from '../../core/store/query-builder.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import type { ShopItem } from './item.ts';
import type { ShopContext, StoredPurchase } from './purchase.ts';

export type PurchaseRow = Selectable<Tables['purchases']>;

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

/**
 * How often each item of a shop was sold, without refunds, also before the guild of the home community was configured.
 * Items that were not sold are left out.
 */
export async function countSold(
  sql: Sql,
  { guildId, accounts }: Pick<ShopContext, 'guildId' | 'accounts'>,
  items: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (items.length === 0) return new Map();
  const own = storedGuildId(guildId);
  const guilds = accounts === homeAccounts ? [own, storedGuildId(null)] : [own];
  const rows = await countPurchases(sql, { guilds: [...new Set(guilds)], items });
  return new Map(rows.map(({ item, count }) => [item, Number(count)]));
}

const countPurchases = preparedStatement<{ guilds: readonly string[]; items: readonly string[] }>()((db, placeholder) =>
  db
    .selectFrom('purchases')
    .select((eb) => ['item', eb.fn.countAll<number>().as('count')])
    .where('guild_id', 'in', placeholder('guilds'))
    .where('item', 'in', placeholder('items'))
    .where('state', '<>', literal('refunded'))
    .groupBy('item'),
);

/**
 * The codes that the shop of a guild has not issued yet, in their order. Codes are compared with those of all its
 * purchases: an item may have another id now, and a code is issued once. What other guilds have issued is not looked at,
 * so that one guild neither uses up the codes of another nor learns of them.
 * @param limit how many to find at least, if there are as many
 */
export async function unissuedCodes(
  { db, connection }: Sql,
  { item: { codes }, ...shop }: Pick<ShopContext, 'guildId' | 'accounts'> & { readonly item: Pick<ShopItem, 'codes'> },
  limit: number,
): Promise<readonly string[]> {
  const unissued: string[] = [];
  const purchases = purchasesIn(db, shop);
  for (let start = 0; start < (codes?.length ?? 0) && unissued.length < limit; start += codesPerQuery) {
    const some = codes?.slice(start, start + codesPerQuery) ?? [];
    const rows = await run(connection, purchases.select('code').where('code', 'in', some));
    const issued = new Set(rows.map(({ code }) => code));
    unissued.push(...some.filter((code) => !issued.has(code)));
  }
  return unissued;
}

/**
 * The purchases in the shop of a guild. The guild of the home community may be configured only later, or no longer: what
 * was bought meanwhile was bought in the same shop.
 */
function purchasesIn(db: Kysely<Tables>, { guildId, accounts }: Pick<ShopContext, 'guildId' | 'accounts'>) {
  const purchases = db.selectFrom('purchases');
  if (guildId === null) return purchases.where('account_guild_id', '=', homeAccounts);
  return accounts === homeAccounts
    ? purchases.where('guild_id', 'in', [guildId, storedGuildId(null)])
    : purchases.where('guild_id', '=', guildId);
}
