import type { Generated, Selectable } from 'kysely';
import type { CommunityId } from '../../core/ledger/account.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/** Scopes of a token: to read, to change accounts and repeat what failed, to change settings and tokens. */
export const tokenScopes = ['read', 'write', 'settings'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const maxTokenNameLength = 60;

/** A token of a community, for programs, without the token itself. Times are ms since the epoch. */
export interface ApiToken {
  readonly id: number;
  readonly communityId: CommunityId;
  /** 1 to {@link maxTokenNameLength} characters, written by a manager: escape it. */
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** Who answers for it: a Discord id, or `operator`. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  /** The last use, to the minute; null before the first. */
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
}

export interface TokenTables {
  /** Tokens of communities for programs. Times are ms since the epoch. */
  api_tokens: {
    id: Generated<number>;
    community_id: CommunityId;
    name: string;
    /** SHA-256 of the token, in hex. The token itself is not stored. */
    digest: string;
    /** Separated by spaces. */
    scopes: string;
    created_at: number;
    /** Who answers for it: a Discord id, or `operator`. */
    created_by: string;
    expires_at: number | null;
    used_at: number | null;
    revoked_at: number | null;
  };
}

type TokenSql = Sql<TokenTables>;

/** Tokens of a community that are valid at the same time. */
export const maxTokens = 25;
/** Tokens of a community that were revoked or have expired, of which the newest are listed. */
const maxEnded = 25;

export const reads = {
  /** The token with a digest, revoked and expired ones as well; null if there is none. */
  async find({ db, connection }: TokenSql, digest: string): Promise<ApiToken | null> {
    const found = db.selectFrom('api_tokens').selectAll().where('digest', '=', digest);
    return (await run(connection, found)).map(toToken)[0] ?? null;
  },

  /** Newest first. */
  async list({ db, connection }: TokenSql, communityId: CommunityId): Promise<readonly ApiToken[]> {
    const ofCommunity = db.selectFrom('api_tokens').selectAll().where('community_id', '=', communityId);
    return (await run(connection, ofCommunity.orderBy('id', 'desc'))).map(toToken);
  },
};

export const writes = {
  /** Null if the community has as many valid ones as it may. Deletes the oldest of those that have ended. */
  async create(
    sql: TokenSql,
    token: Pick<ApiToken, 'communityId' | 'name' | 'scopes' | 'createdBy' | 'expiresAt'> & { readonly digest: string },
    now: number,
  ): Promise<ApiToken | null> {
    const { db, connection } = sql;
    const all = await reads.list(sql, token.communityId);
    const ended = all.filter((each) => !isValid(each, now));
    if (all.length - ended.length >= maxTokens) return null;
    const superfluous = ended.slice(maxEnded - 1).map(({ id }) => id);
    if (superfluous.length > 0) await run(connection, db.deleteFrom('api_tokens').where('id', 'in', superfluous));
    const insert = db.insertInto('api_tokens').values({
      community_id: token.communityId,
      name: token.name,
      digest: token.digest,
      scopes: token.scopes.join(' '),
      created_at: now,
      created_by: token.createdBy,
      expires_at: token.expiresAt,
      used_at: null,
      revoked_at: null,
    });
    const [created] = await run(connection, insert.returningAll());
    return created === undefined ? null : toToken(created);
  },

  /** The token of a community that is valid no longer; null if it has none with the id that was valid. */
  async revoke(sql: TokenSql, communityId: CommunityId, id: number, now: number): Promise<ApiToken | null> {
    const revoke = sql.db.updateTable('api_tokens').set({ revoked_at: now }).where('id', '=', id);
    const ofCommunity = revoke.where('community_id', '=', communityId).where('revoked_at', 'is', null);
    const [revoked] = await run(sql.connection, ofCommunity.returningAll());
    return revoked === undefined ? null : toToken(revoked);
  },

  async used({ db, connection }: TokenSql, id: number, now: number): Promise<void> {
    await run(connection, db.updateTable('api_tokens').set({ used_at: now }).where('id', '=', literal(id)));
  },
};

export type TokenStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** @param now ms since the epoch */
export function isValid({ revokedAt, expiresAt }: Pick<ApiToken, 'revokedAt' | 'expiresAt'>, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}

function toToken(row: Selectable<TokenTables['api_tokens']>): ApiToken {
  const { id, name, community_id: communityId, created_by: createdBy, created_at: createdAt } = row;
  const { expires_at: expiresAt, used_at: usedAt, revoked_at: revokedAt } = row;
  const scopes = row.scopes.split(' ') as TokenScope[];
  return { id, communityId, name, scopes, createdBy, createdAt, expiresAt, usedAt, revokedAt };
}
