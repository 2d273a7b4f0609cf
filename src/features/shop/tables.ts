import type { Generated, Selectable } from 'kysely';
import type { CommunityId } from '../../core/ledger/account.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { PurchaseState } from './rules.ts';

export interface ShopTables {
  /** Purchases of the shop. What is stored of the item is what it was when it was bought. */
  purchases: {
    id: Generated<number>;
    /** In which community the buyer's account is. */
    community_id: CommunityId;
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

/** The database with the tables of this feature. */
export type ShopSql = Sql<ShopTables>;

export type PurchaseRow = Selectable<ShopTables['purchases']>;
