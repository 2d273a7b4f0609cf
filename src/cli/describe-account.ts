import { type AccountId, homeAccounts, partsOf } from '../core/ledger/account-id.ts';

/** An account in a sentence: `user 1`, in another community than the home one with its guild. */
export function describeAccount(accountId: AccountId): string {
  const { accounts, userId } = partsOf(accountId);
  return accounts === homeAccounts ? `user ${userId}` : `user ${userId} in guild ${accounts}`;
}
