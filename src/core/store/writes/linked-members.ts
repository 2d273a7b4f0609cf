import { type Kysely, sql } from 'kysely';
import type {
  LinkedMember,
  SaveTokensResult,
  SealedTokens,
  StoredValues,
} from '../../../features/linked-roles/linked-members.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { keyIdOf } from '../../../platform/encryption/sealed-text.ts';
import { roleConnectionEffect } from '../../tally/role-connection.ts';
import { readValues, toLinkedMember } from '../linked-values.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lockAccountsOf, releaseAccount } from './accounts.ts';
import { enqueueWrites } from './enqueue.ts';

/**
 * Members with linked roles, for use inside a transaction of `connection`. Marks of accounts are changed under the lock
 * of the account, as votes do.
 */
export function linkedMemberWrites(db: Kysely<Tables>, connection: Connection) {
  const { enqueue } = enqueueWrites(db, connection);
  const linked = (userId: string) => db.updateTable('linked_members').where('user_id', '=', userId);

  async function markAccounts(userId: string, roleConnection: 'none' | 'linked'): Promise<void> {
    // The first vote in another community makes a new account, which the next check of all linked members finds.
    for (const account of await lockAccountsOf(connection, db, userId)) {
      const mark = db.updateTable('balances').set({ role_connection: roleConnection === 'linked' ? 1 : 0 });
      await run(connection, mark.where('user_id', '=', account.id));
      await releaseAccount(connection, db, { ...account, roleConnection });
    }
  }

  /** Makes the key of the first secret that of the database. Returns the id of the database's key. */
  async function adoptKey(keyId: string): Promise<string> {
    const insert = db.insertInto('settings_state').values({ id: 1, version: 0, key_id: keyId });
    const [state] = await run(
      connection,
      insert
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ key_id: sql<string>`coalesce(settings_state.key_id, excluded.key_id)` }),
        )
        .returning('key_id'),
    );
    return state?.key_id ?? keyId;
  }

  /** Null if both are encrypted with the database's key. */
  async function rejectOtherKey({ accessToken, refreshToken }: SealedTokens): Promise<SaveTokensResult | null> {
    const keyIds = [accessToken, refreshToken].map((sealed) => keyIdOf(sealed) ?? '');
    const keyId = await adoptKey(keyIds[0] ?? '');
    return keyIds.every((id) => id === keyId) ? null : { status: 'other_key', keyId };
  }

  return {
    async linkMember(member: LinkedMember, now: number): Promise<SaveTokensResult> {
      const { userId, accessToken, refreshToken, expiresAt, locale } = member;
      const rejection = await rejectOtherKey(member);
      if (rejection !== null) return rejection;
      const tokens = { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt };
      const row = { ...tokens, locale, linked_at: now, pushed: null, requested_at: now, refreshing_until: null };
      const insert = db.insertInto('linked_members').values({ user_id: userId, ...row });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('user_id').doUpdateSet(row)),
      );
      await markAccounts(userId, 'linked');
      await enqueue([roleConnectionEffect(userId, null, now)]);
      return { status: 'saved' };
    },

    async unlinkMember(userId: string): Promise<boolean> {
      const deleted = await run(
        connection,
        db.deleteFrom('linked_members').where('user_id', '=', userId).returning('user_id'),
      );
      if (deleted.length === 0) return false;
      await markAccounts(userId, 'none');
      return true;
    },

    async beginRoleConnectionUpdate(userId: string, now: number): Promise<StoredValues | null> {
      const find = db.selectFrom('linked_members').select(['user_id', 'pushed']).where('user_id', '=', userId);
      const members = await run(connection, find);
      if (members.length > 0) await markAccounts(userId, 'linked');
      const [values] = await readValues(db, connection, members, now);
      return values ?? null;
    },

    async saveRoleConnectionUpdate(userId: string, pushed: string): Promise<void> {
      await run(connection, linked(userId).set({ pushed, requested_at: null }));
    },

    async leaseTokenRefresh(userId: string, now: number, until: number): Promise<LinkedMember | null> {
      const lease = linked(userId).set({ refreshing_until: until });
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

    async saveMemberTokens(userId: string, tokens: SealedTokens): Promise<SaveTokensResult> {
      const rejection = await rejectOtherKey(tokens);
      if (rejection !== null) return rejection;
      const { accessToken: access_token, refreshToken: refresh_token, expiresAt: expires_at } = tokens;
      const save = linked(userId).set({ access_token, refresh_token, expires_at, refreshing_until: null });
      const saved = await run(connection, save.returning('user_id'));
      return { status: saved.length > 0 ? 'saved' : 'not_linked' };
    },

    async releaseTokenRefresh(userId: string): Promise<void> {
      await run(connection, linked(userId).set({ refreshing_until: null }));
    },

    async requestRoleConnectionUpdate(userId: string, now: number, unlessSince: number): Promise<boolean> {
      const request = linked(userId).set({ requested_at: now });
      const requested = await run(
        connection,
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
      await enqueue([roleConnectionEffect(userId, null, now)]);
      return true;
    },
  };
}
