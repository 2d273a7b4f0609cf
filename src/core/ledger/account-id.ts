/**
 * Which accounts the members of a community have: `''` for the home community, whose accounts are stored under the ids
 * of the members alone, otherwise the Discord ID of its guild.
 */
export type AccountScope = string;

/** The accounts of the home community. */
export const homeAccounts: AccountScope = '';

declare const brand: unique symbol;

/** Identifies an account: the member's id at home, `<guild id>:<member id>` in another community. */
export type AccountId = string & { readonly [brand]: true };

const separator = ':';

/** The account that a member has in a community. */
export function accountIdOf(accounts: AccountScope, userId: string): AccountId {
  return (accounts ? `${accounts}${separator}${userId}` : userId) as AccountId;
}

/** Whose account it is, and in which community. Neither Discord IDs nor pseudonyms contain the separator. */
export function partsOf(accountId: AccountId): { readonly accounts: AccountScope; readonly userId: string } {
  const end = accountId.indexOf(separator);
  return end === -1
    ? { accounts: homeAccounts, userId: accountId }
    : { accounts: accountId.slice(0, end), userId: accountId.slice(end + 1) };
}

/** The member of an account. */
export function memberOf(accountId: AccountId): string {
  return accountId.slice(accountId.indexOf(separator) + 1);
}
