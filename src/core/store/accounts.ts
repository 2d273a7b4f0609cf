import type { Connection } from '@tallyhook/platform/database/dialect';
import { type Expression, type Kysely, sql } from 'kysely';
import type { AccountId } from '../ledger/account.ts';
import type { Entry } from '../ledger/entry.ts';
import { type AccountState, isEmpty, withEntry } from '../tally/account-state.ts';
import { accountRow, type BalanceRow, toAccountState } from './account-columns.ts';
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

/*
 * Accounts for operations other than recordings, one statement after the other. Lock several accounts in the order of
 * their ids, so that no transaction waits for another in a circle.
 */

/**
 * Reads an account and locks it until the end of the transaction. Inserts a missing one, because only a row can be
 * locked; {@link releaseAccount} deletes it again.
 */
export async function lockAccount(
  connection: Connection,
  db: Kysely<Tables>,
  accountId: AccountId,
): Promise<AccountState> {
  const values = { account_id: accountId, credits: 0, votes: 0, last_votes: '{}' };
  const insert = db.insertInto('balances').values(values).returningAll();
  const touch = insert.onConflict((conflict) => conflict.column('account_id').doUpdateSet({ account_id: accountId }));
  const [row] = await run(connection, touch);
  if (row === undefined) throw new Error('The account could not be locked.');
  return toAccountState(row as BalanceRow);
}

/** Locks all accounts of a member, of which there need not be any. What is not theirs alone has their lock. */
export async function lockAccountsOf(
  connection: Connection,
  db: Kysely<Tables>,
  userId: string,
): Promise<readonly AccountState[]> {
  const locked: AccountState[] = [];
  for (const account_id of await accountsOfMember(connection, db, userId)) {
    const touch = db.updateTable('balances').set({ account_id }).where('account_id', '=', account_id);
    const [row] = await run(connection, touch.returningAll());
    if (row !== undefined) locked.push(toAccountState(row as BalanceRow));
  }
  return locked;
}

/** Appends an entry to a locked account, and returns the new account. */
export async function appendEntry(
  connection: Connection,
  db: Kysely<Tables>,
  account: AccountState,
  entry: Entry,
): Promise<AccountState> {
  const { accountId: account_id, deliveryId: delivery_id, untimed, ...columns } = entry;
  const place = { previous: account.lastEntry, number: account.entries + 1 };
  const row = { ...columns, account_id, delivery_id, untimed: untimed ? 1 : 0, ...place };
  const [inserted] = await run(connection, db.insertInto('entries').values(row).returning('id'));
  if (inserted === undefined) throw new Error('The entry could not be inserted.');
  const updated = withEntry(account, entry, inserted.id);
  await run(connection, db.updateTable('balances').set(accountRow(updated)).where('account_id', '=', account_id));
  return updated;
}

/** Deletes the row of a locked account if it is empty. */
export async function releaseAccount(connection: Connection, db: Kysely<Tables>, account: AccountState): Promise<void> {
  if (!isEmpty(account)) return;
  const row = db.deleteFrom('balances').where('account_id', '=', account.id);
  await run(connection, row.where('last_entry', 'is', sql.lit(null)));
}
