import type { Generated } from 'kysely';
import { type MemberTables, renamedRows } from '../../core/store/member-data/member-table.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { type EndedGuild, rowsPerWrite, type Sql } from '../../core/store/sql-module.ts';
import type { PurchaseState } from './rules.ts';

declare module '../../core/store/tables.ts' {
  interface Tables {
    /** Purchases of the shop. What is stored of the item is what it was when it was bought. */
    purchases: {
      id: Generated<number>;
      /** Which account paid: the `guild_id` of its balance. */
      account_guild_id: Generated<string>;
      /** The id of the interaction that showed the confirmation. */
      confirmation_id: string;
      user_id: string;
      /** Empty if the community has no guild. */
      guild_id: string;
      /** Where it was, or would be, reported to the owner. */
      owner_channel_id: string | null;
      /** The id and the name of the item. */
      item: string;
      name: string;
      price: number;
      state: PurchaseState;
      /** The balance after it. */
      balance: number;
      role: string | null;
      /** The end of the role. */
      until: number | null;
      /** Secret to everyone but the buyer. */
      code: string | null;
      at: number;
      /** When it was fulfilled or refunded; null before that. */
      settled_at: number | null;
    };
  }
}

export const tables = {
  // An issued code stays, so that it is not issued again.
  purchases: renamedRows('purchases'),
} satisfies Partial<MemberTables>;

/** Of a community that has ended. */
export async function deletePurchases({ db, connection }: Sql, { guildId }: EndedGuild): Promise<boolean> {
  const own = db.selectFrom('purchases').select('id').where('account_guild_id', '=', guildId);
  const ids = (await run(connection, own.limit(literal(rowsPerWrite)))).map(({ id }) => id);
  if (ids.length > 0) await run(connection, db.deleteFrom('purchases').where('id', 'in', ids));
  return ids.length === rowsPerWrite;
}
