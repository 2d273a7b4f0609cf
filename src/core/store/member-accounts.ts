import type { Connection } from '@tallyhook/platform/database/dialect';
import { type Expression, type Kysely, sql } from 'kysely';
import type { AccountId } from '../ledger/account.ts';
import { preparedStatement, run, type SqlAccess } from './query-builder.ts';
import type { Tables } from './tables.ts';

/** The balances of a member in all communities: one search of the primary key for each. */
export function balancesOfMember(db: Kysely<Tables>, userId: string) {
  return db
    .selectFrom('communities')
    .innerJoin('balances', (join) => join.on('balances.account_id', '=', accountIn(sql.val(userId))))
    .select(['balances.account_id', 'balances.last_entry']);
}

/** The expression of `accountIdOf` for a row of `communities`. */
export function accountIn(userId: Expression<string>) {
  return sql<AccountId>`cast(communities.id as text) || ':' || ${userId}`;
}

/** The accounts of a member, in the order in which they are locked. */
export async function accountsOfMember(
  connection: Connection,
  db: Kysely<Tables>,
  userId: string,
): Promise<readonly AccountId[]> {
  return (await findAccounts({ db, connection }, { userId })).map(({ account_id }) => account_id).sort();
}

/** A command in direct messages asks for them. */
const findAccounts = preparedStatement<{ userId: string }>()((db, placeholder) =>
  balancesOfMember(db, placeholder('userId')),
);

/** The newest entry of each account of a member, for the entries that are linked to them. */
export async function newestEntriesOf({ db, connection }: SqlAccess, userId: string): Promise<readonly number[]> {
  const balances = await run(connection, balancesOfMember(db, userId));
  return balances.flatMap(({ last_entry: newest }) => newest ?? []);
}
