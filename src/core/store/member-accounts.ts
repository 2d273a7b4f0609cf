import type { Kysely } from 'kysely';
import type { Connection } from '../../platform/database/dialect.ts';
import type { AccountId } from '../ledger/account.ts';
import { accountOf } from './account-columns.ts';
import { preparedStatement, run, type SqlAccess } from './query-builder.ts';
import type { Tables } from './tables.ts';

/** The balances of a member in all communities. */
export function balancesOfMember(db: Kysely<Tables>, userId: string) {
  const columns = ['user_id', 'guild_id', 'last_entry'] as const;
  const home = db.selectFrom('balances').select(columns).where('user_id', '=', userId);
  return home.unionAll(db.selectFrom('balances').select(columns).where('member_id', '=', userId));
}

/** The accounts of a member, in the order in which they are locked. */
export async function accountsOfMember(
  connection: Connection,
  db: Kysely<Tables>,
  userId: string,
): Promise<readonly AccountId[]> {
  return (await findAccounts({ db, connection }, { userId })).map(accountOf).sort();
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
