import { type AccountId, type AccountScope, homeAccounts, partsOf } from '../ledger/account-id.ts';

/** The columns of a balance that identify its account. */
export function accountKey(accountId: AccountId) {
  const { accounts, userId } = partsOf(accountId);
  return { user_id: accountId, guild_id: accounts, member_id: accounts === homeAccounts ? null : userId };
}

/** The account of a row with the columns of {@link accountKey}, `entries` or `corrections`. */
export function accountOf({ user_id }: { readonly user_id: string }): AccountId {
  return user_id as AccountId;
}

/**
 * The `LIKE` pattern of the ids of a community's accounts, for scans of tables without its id: at home, what the ids do
 * not match.
 */
export function accountPattern(accounts: AccountScope): string {
  return accounts === homeAccounts ? '%:%' : `${accounts}:%`;
}
