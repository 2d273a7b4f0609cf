import { type AccountId, accountIdOf } from '../../src/core/ledger/account.ts';
import { firstCommunity } from './communities.ts';

/** The account of a member of the home community. */
export function homeAccount(userId: string): AccountId {
  return accountIdOf(firstCommunity, userId);
}
