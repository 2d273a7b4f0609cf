import type { Kysely, Selectable } from 'kysely';
import type { LinkedMember, LinkedMembers, StoredValues } from '../../linked-roles/linked-members.ts';
import type { Connection } from '../dialect/dialect.ts';
import { parseLastVotes } from '../json-columns.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** The port to linked members over SQL. */
export function sqlLinkedMembers(db: Kysely<Tables>, reading: Connection, write: Write): LinkedMembers {
  return {
    async keyId() {
      const state = db.selectFrom('settings_state').select('key_id').where('id', '=', literal(1));
      const [row] = await run(reading, state);
      return row?.key_id ?? null;
    },
    link: (member, now) => write('linkMember', member, now),
    async find(userId) {
      const [row] = await run(reading, db.selectFrom('linked_members').selectAll().where('user_id', '=', userId));
      return row === undefined ? null : toLinkedMember(row);
    },
    unlink: (userId) => write('unlinkMember', userId),
    beginUpdate: (userId, now) => write('beginRoleConnectionUpdate', userId, now),
    saveUpdate: (userId, pushed) => write('saveRoleConnectionUpdate', userId, pushed),
    leaseRefresh: (userId, now, until) => write('leaseTokenRefresh', userId, now, until),
    saveTokens: (userId, tokens) => write('saveMemberTokens', userId, tokens),
    releaseRefresh: (userId) => write('releaseTokenRefresh', userId),
    async valuesAfter(userId, now, limit) {
      const next = db.selectFrom('linked_members').select(['user_id', 'pushed']).where('user_id', '>', userId);
      const rows = await run(reading, next.orderBy('user_id').limit(limit));
      return readValues(db, reading, rows, now);
    },
    requestUpdate: (userId, now, unlessSince) => write('requestRoleConnectionUpdate', userId, now, unlessSince),
  };
}

export function toLinkedMember(row: Selectable<Tables['linked_members']>): LinkedMember {
  const { user_id: userId, access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt } = row;
  return { userId, accessToken, refreshToken, expiresAt, locale: row.locale };
}

/** Reads what the values of these members are computed from. @param now ms since the epoch */
export async function readValues(
  db: Kysely<Tables>,
  connection: Connection,
  members: readonly Pick<Selectable<Tables['linked_members']>, 'user_id' | 'pushed'>[],
  now: number,
): Promise<StoredValues[]> {
  if (members.length === 0) return [];
  const userIds = members.map(({ user_id }) => user_id);
  const accounts = await run(
    connection,
    db
      .selectFrom('balances')
      .select(['user_id', 'votes', 'last_votes', 'streak_days', 'streak_last_day'])
      .where('user_id', 'in', userIds),
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
      accountId: row.user_id,
      votes: row.votes,
      lastVotes: parseLastVotes(row.last_votes),
      streak: { days: row.streak_days, lastDay: row.streak_last_day },
    })),
    hasPremium: withPremium.has(userId),
    pushed,
  }));
}
