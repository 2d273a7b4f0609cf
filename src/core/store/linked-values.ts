import type { Kysely, Selectable } from 'kysely';
import type { LinkedMember, StoredValues } from '../../features/linked-roles/linked-members.ts';
import type { Connection } from '../../platform/database/dialect.ts';
import { memberOf } from '../ledger/account-id.ts';
import { accountOf } from './account-columns.ts';
import { parseLastVotes } from './json-columns.ts';
import { literal, run } from './query-builder.ts';
import type { Tables } from './tables.ts';

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
  const columns = ['user_id', 'votes', 'last_votes', 'streak_days', 'streak_last_day'] as const;
  const balances = db.selectFrom('balances').select(columns);
  const accounts = await run(
    connection,
    balances.where('user_id', 'in', userIds).unionAll(balances.where('member_id', 'in', userIds)),
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
  const accountsByMember = Map.groupBy(accounts, ({ user_id }) => memberOf(accountOf({ user_id })));
  return members.map(({ user_id: userId, pushed }) => ({
    userId,
    accounts: (accountsByMember.get(userId) ?? []).map((row) => ({
      accountId: accountOf(row),
      votes: row.votes,
      lastVotes: parseLastVotes(row.last_votes),
      streak: { days: row.streak_days, lastDay: row.streak_last_day },
    })),
    hasPremium: withPremium.has(userId),
    pushed,
  }));
}
