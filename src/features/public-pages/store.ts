import type { CommunityId } from '../../core/ledger/account.ts';
import { insertMissing, literal, lock, run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

export interface PublicPageTables {
  /** The addresses that communities have, or have had. */
  public_pages: {
    slug: string;
    community_id: CommunityId;
    /** When the community has last taken it (ms since the epoch). */
    taken_at: number;
  };
  /** Members who are not to be shown on the page of a community. */
  public_page_absences: { community_id: CommunityId; user_id: string };
}

type PublicPageSql = Sql<PublicPageTables>;

/**
 * Addresses that a community keeps, the newest: links and widgets that others have placed never lead to another community.
 * Older ones become free, so that nobody can take all good names by trying them.
 */
const keptAddresses = 3;

export const reads = {
  /** The community that an address belongs to; null if it is free. */
  async holder({ db, connection }: PublicPageSql, slug: string): Promise<CommunityId | null> {
    const page = db.selectFrom('public_pages').select('community_id').where('slug', '=', slug);
    return (await run(connection, page))[0]?.community_id ?? null;
  },

  /** The members who are not to be shown on the page of the community. */
  async absent(
    { db, connection }: PublicPageSql,
    communityId: CommunityId,
    userIds: readonly string[],
  ): Promise<readonly string[]> {
    if (userIds.length === 0) return [];
    const ofCommunity = db.selectFrom('public_page_absences').select('user_id');
    const absent = ofCommunity.where('community_id', '=', communityId).where('user_id', 'in', userIds);
    return (await run(connection, absent)).map(({ user_id }) => user_id);
  },
};

export const writes = {
  /** Gives a free address to a community. Returns whose it is now: that of the one that had it first. */
  async take(sql: PublicPageSql, slug: string, communityId: CommunityId, now: number): Promise<CommunityId> {
    const { db, connection } = sql;
    await lock(connection, db, 'public pages');
    const holder = await reads.holder(sql, slug);
    if (holder !== null && holder !== communityId) return holder;
    const row = { slug, community_id: communityId, taken_at: now };
    const insert = db.insertInto('public_pages').values(row);
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('slug').doUpdateSet({ taken_at: now })),
    );
    const own = db.selectFrom('public_pages').select('slug').where('community_id', '=', literal(communityId));
    const newest = await run(connection, own.orderBy('taken_at', 'desc').orderBy('slug'));
    const others = newest.map((each) => each.slug).filter((each) => each !== slug);
    const freed = others.slice(keptAddresses - 1);
    if (freed.length > 0) await run(connection, db.deleteFrom('public_pages').where('slug', 'in', freed));
    return communityId;
  },

  /** True if a member is shown on the page of a community. */
  async setShown(sql: PublicPageSql, communityId: CommunityId, userId: string, isShown: boolean): Promise<void> {
    const key = { community_id: communityId, user_id: userId };
    if (!isShown) return insertMissing(sql, 'public_page_absences', key, {});
    const own = sql.db.deleteFrom('public_page_absences').where(({ and }) => and(key));
    await run(sql.connection, own);
  },
};

export type PublicPageStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
