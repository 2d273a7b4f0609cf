import type { SealContext } from '@tallyhook/platform/encryption/sealed-text';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { AccountId, LastVotes } from '../../core/ledger/account.ts';
import type { StreakInDays } from '../../core/rewards/streak.ts';
import { parseLastVotes } from '../../core/store/account-columns.ts';
import { accountIn, lockAccountsOf, releaseAccount } from '../../core/store/accounts.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run, upsert } from '../../core/store/query-builder.ts';
import { haveKey } from '../../core/store/settings/sealed.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { linked, roleConnectionEffect } from './role-connection.ts';

export const reads = {
  async find({ db, connection }: Sql, userId: string): Promise<LinkedMember | null> {
    const [row] = await run(connection, db.selectFrom('linked_members').selectAll().where('user_id', '=', userId));
    return row === undefined ? null : toLinkedMember(row);
  },

  /** The sources of the values of the next members, by user id. */
  async valuesAfter(sql: Sql, userId: string, now: number, limit: number): Promise<readonly StoredValues[]> {
    const next = sql.db.selectFrom('linked_members').select(['user_id', 'pushed']).where('user_id', '>', userId);
    return readValues(sql, await run(sql.connection, next.orderBy('user_id').limit(limit)), now);
  },
};

/** Marks of accounts are changed under the lock of the account, as votes do. Times are ms since the epoch. */
export const writes = {
  /**
   * Stores the member in place of an earlier link, marks the accounts, and enqueues an update. False for tokens with
   * another key than the database's.
   */
  async link(sql: Sql, member: LinkedMember, now: number): Promise<boolean> {
    const { userId, accessToken, refreshToken, expiresAt, locale } = member;
    if (!(await haveKey(sql, [accessToken, refreshToken]))) return false;
    const tokens = { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt };
    const row = { ...tokens, locale, linked_at: now, pushed: null, requested_at: now, refreshing_until: null };
    await upsert(sql, 'linked_members', { user_id: userId }, row);
    await markAccounts(sql, userId, linked);
    await enqueueUpdate(sql, userId, now);
    return true;
  },

  /** Deletes the tokens, and the marks of the accounts. Returns whether the member was linked. */
  async unlink(sql: Sql, userId: string): Promise<boolean> {
    const remove = sql.db.deleteFrom('linked_members').where('user_id', '=', userId);
    const deleted = await run(sql.connection, remove.returning('user_id'));
    if (deleted.length === 0) return false;
    await markAccounts(sql, userId, 0);
    return true;
  },

  /**
   * Marks that an update begins, so that a vote from now on enqueues another one. Then returns what the values are
   * computed from; null if the member is not linked.
   * @param now decides which orders are active
   */
  async beginUpdate(sql: Sql, userId: string, now: number): Promise<StoredValues | null> {
    const find = sql.db.selectFrom('linked_members').select(['user_id', 'pushed']).where('user_id', '=', userId);
    const members = await run(sql.connection, find);
    if (members.length > 0) await markAccounts(sql, userId, linked);
    const [values] = await readValues(sql, members, now);
    return values ?? null;
  },

  async saveUpdate({ db, connection }: Sql, userId: string, pushed: string): Promise<void> {
    await run(connection, updateMember(db, userId).set({ pushed, requested_at: null }));
  },

  /** The member as stored, for the only process that may request tokens now; null for others, or if not linked. */
  async leaseRefresh(
    { db, connection }: Sql,
    userId: string,
    now: number,
    until: number,
  ): Promise<LinkedMember | null> {
    const lease = updateMember(db, userId).set({ refreshing_until: until });
    const [row] = await run(
      connection,
      lease
        .where((eb) =>
          // A lease that ends later was written by a clock that was ahead.
          eb.or([
            eb('refreshing_until', 'is', null),
            eb('refreshing_until', '<=', now),
            eb('refreshing_until', '>', until),
          ]),
        )
        .returningAll(),
    );
    return row === undefined ? null : toLinkedMember(row);
  },

  /**
   * Stores the tokens of a member, who may have been unlinked meanwhile. False for tokens with another key than the
   * database's.
   */
  async saveTokens(sql: Sql, userId: string, tokens: SealedTokens): Promise<boolean> {
    const { accessToken: access_token, refreshToken: refresh_token, expiresAt: expires_at } = tokens;
    if (!(await haveKey(sql, [access_token, refresh_token]))) return false;
    const row = { access_token, refresh_token, expires_at, refreshing_until: null };
    await run(sql.connection, updateMember(sql.db, userId).set(row));
    return true;
  },

  async releaseRefresh({ db, connection }: Sql, userId: string): Promise<void> {
    await run(connection, updateMember(db, userId).set({ refreshing_until: null }));
  },

  /** Enqueues an update, unless one was enqueued after `unlessSince` and has not succeeded. Returns whether it did. */
  async requestUpdate(sql: Sql, userId: string, now: number, unlessSince: number): Promise<boolean> {
    const request = updateMember(sql.db, userId).set({ requested_at: now });
    const requested = await run(
      sql.connection,
      request
        .where((eb) =>
          eb.or([
            eb('requested_at', 'is', null),
            eb('requested_at', '<=', unlessSince),
            // Written by a clock that was ahead.
            eb('requested_at', '>', now),
          ]),
        )
        .returning('user_id'),
    );
    if (requested.length === 0) return false;
    await enqueueUpdate(sql, userId, now);
    return true;
  },
};

export type LinkedMembers = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function updateMember(db: Kysely<Tables>, userId: string) {
  return db.updateTable('linked_members').where('user_id', '=', userId);
}

async function enqueueUpdate(sql: Sql, userId: string, now: number): Promise<void> {
  await enqueue(sql, [roleConnectionEffect(userId, null, now)]);
}

async function markAccounts({ db, connection }: Sql, userId: string, role_connection: number): Promise<void> {
  // The first vote in another community makes a new account, which the next check of all linked members finds.
  for (const account of await lockAccountsOf(connection, db, userId)) {
    await run(connection, db.updateTable('balances').set({ role_connection }).where('account_id', '=', account.id));
    await releaseAccount(connection, db, { ...account, marks: { ...account.marks, role_connection } });
  }
}

function toLinkedMember(row: Selectable<Tables['linked_members']>): LinkedMember {
  const { user_id: userId, access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt } = row;
  return { userId, accessToken, refreshToken, expiresAt, locale: row.locale };
}

/** Reads what the values of these members are computed from. @param now ms since the epoch */
async function readValues(
  { db, connection }: Sql,
  members: readonly Pick<Selectable<Tables['linked_members']>, 'user_id' | 'pushed'>[],
  now: number,
): Promise<StoredValues[]> {
  if (members.length === 0) return [];
  const userIds = members.map(({ user_id }) => user_id);
  const accounts = await run(
    connection,
    db
      .selectFrom('linked_members')
      .innerJoin('communities', (join) => join.onTrue())
      .innerJoin('balances', (join) =>
        join.on('balances.account_id', '=', accountIn(sql.ref('linked_members.user_id'))),
      )
      .select([
        'linked_members.user_id',
        'balances.account_id',
        'votes',
        'last_votes',
        'streak_days',
        'streak_last_day',
      ])
      .where('linked_members.user_id', 'in', userIds),
  );
  const orders = await run(
    connection,
    db
      .selectFrom('orders')
      .select('user_id')
      .distinct()
      .where('user_id', 'in', userIds)
      .where('state', '=', literal('active'))
      .where((eb) => eb.or([eb('period_end', 'is', null), eb('period_end', '>', now)])),
  );
  const withPremium = new Set(orders.map(({ user_id }) => user_id));
  const accountsByMember = Map.groupBy(accounts, ({ user_id }) => user_id);
  return members.map(({ user_id: userId, pushed }) => ({
    userId,
    accounts: (accountsByMember.get(userId) ?? []).map((row) => ({
      accountId: row.account_id,
      votes: row.votes,
      lastVotes: parseLastVotes(row.last_votes),
      streak: { days: row.streak_days, lastDay: row.streak_last_day },
    })),
    hasPremium: withPremium.has(userId),
    pushed,
  }));
}

/** The tokens of a member, encrypted. Discord: "OAuth2", "Access Token Response". */
export interface SealedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires (ms since the epoch). */
  readonly expiresAt: number;
}

export interface LinkedMember extends SealedTokens {
  readonly userId: string;
  /** Discord's code of the member's language. */
  readonly locale: string;
}

/** The part of an account that the values of its member depend on. */
interface LinkedAccount {
  readonly accountId: AccountId;
  readonly votes: number;
  readonly lastVotes: LastVotes;
  readonly streak: StreakInDays;
}

/** The sources of the values of a member: the accounts in all communities. */
export interface StoredValues {
  readonly userId: string;
  readonly accounts: readonly LinkedAccount[];
  /** True if a premium order of the member is active. */
  readonly hasPremium: boolean;
  /** JSON of the values that Discord has; null before the first update. */
  readonly pushed: string | null;
}

/** The row of a token, see {@link SealContext}. */
export function tokenContext(userId: string, column: 'access_token' | 'refresh_token'): SealContext {
  return ['linked_members', userId, column];
}
