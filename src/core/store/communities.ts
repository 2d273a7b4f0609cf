import { type AccountId, type CommunityId, noCommunity } from '../ledger/account.ts';
import { accountsIn } from './account-columns.ts';
import { literal, lock, run, type SqlAccess } from './query-builder.ts';
import type { Sql, SqlClient } from './sql-module.ts';

/** A row of `communities`. */
export interface CommunityKey {
  readonly id: CommunityId;
  /** Discord ID; null as long as the guild is not known, and if another community has got it. */
  readonly guildId: string | null;
  /** True if listings without a guild belong to it. */
  readonly isDefault: boolean;
}

export const reads = {
  /** Every community, oldest first. */
  all: readCommunities,
};

export const writes = {
  /** Adds the communities of guilds that have none. */
  async add(sql: Sql, guildIds: readonly string[]): Promise<readonly CommunityKey[]> {
    await lock(sql.connection, sql.db, 'communities');
    return addMissing(sql, await readCommunities(sql), guildIds);
  },

  /**
   * Adds the communities of the guilds of the settings. The first guild becomes that of the default community, unless
   * that one has a guild, or this guild has accounts of its own.
   * @param guildIds those of the operator's listings, in their order
   */
  async addConfigured(sql: Sql, guildIds: readonly string[]): Promise<readonly CommunityKey[]> {
    const { db, connection } = sql;
    await lock(connection, db, 'communities');
    const stored = await readCommunities(sql);
    const configured = await withFirstGuild(sql, stored, guildIds);
    const changed = configured.filter(({ id, guildId }) => stored.find((each) => each.id === id)?.guildId !== guildId);
    // The one that loses the guild first.
    for (const { id, guildId: guild_id } of changed.toSorted((one) => (one.guildId === null ? -1 : 1))) {
      await run(connection, db.updateTable('communities').set({ guild_id }).where('id', '=', id));
    }
    return addMissing(sql, configured, guildIds);
  },
};

export type CommunityStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** Every community, oldest first. */
export async function readCommunities({ db, connection }: SqlAccess): Promise<readonly CommunityKey[]> {
  const rows = await run(connection, db.selectFrom('communities').selectAll().orderBy('id'));
  return rows.map(({ id, guild_id: guildId, is_default }) => ({ id, guildId, isDefault: is_default !== 0 }));
}

/** The community of a guild; {@link noCommunity} if it has none. */
export async function communityOfGuild({ db, connection }: SqlAccess, guildId: string): Promise<CommunityId> {
  const own = db.selectFrom('communities').select('id').where('guild_id', '=', guildId);
  return (await run(connection, own))[0]?.id ?? noCommunity;
}

/**
 * The communities as {@link writes.addConfigured} leaves those that exist. One that loses its guild stays, so that its
 * id is never given again.
 */
export async function withFirstGuild(
  sql: SqlAccess,
  stored: readonly CommunityKey[],
  [first]: readonly string[],
): Promise<readonly CommunityKey[]> {
  const isMissing = stored.some(({ isDefault, guildId }) => isDefault && guildId === null);
  const ofFirst = stored.find(({ guildId }) => guildId === first);
  if (!isMissing || first === undefined) return stored;
  if (ofFirst !== undefined && (await hasAccounts(sql, ofFirst.id))) return stored;
  return stored.map((each) => ({
    ...each,
    guildId: each.isDefault ? first : each.guildId === first ? null : each.guildId,
  }));
}

async function addMissing(
  sql: Sql,
  stored: readonly CommunityKey[],
  guildIds: readonly string[],
): Promise<readonly CommunityKey[]> {
  const missing = new Set(guildIds);
  for (const { guildId } of stored) if (guildId !== null) missing.delete(guildId);
  if (missing.size === 0) return stored;
  const rows = [...missing].map((guild_id) => ({ guild_id }));
  await run(sql.connection, sql.db.insertInto('communities').values(rows));
  return readCommunities(sql);
}

async function hasAccounts({ db, connection }: SqlAccess, id: CommunityId): Promise<boolean> {
  const accounts = accountsIn(db.selectFrom('balances').select('account_id'), id);
  const [first]: readonly { readonly account_id: AccountId }[] = await run(connection, accounts.limit(literal(1)));
  return first !== undefined;
}
