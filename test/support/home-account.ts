import { type AccountId, accountIdOf, homeAccounts } from '../../src/core/ledger/account.ts';

/** The account of a member of the home community. */
export function homeAccount(userId: string): AccountId {
  return accountIdOf(homeAccounts, userId);
}
