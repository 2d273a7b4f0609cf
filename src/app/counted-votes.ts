import { homeAccounts } from '../ledger/account-id.ts';
import type { Store } from '../store/store.ts';
import type { Directory } from './directory.ts';

/** Counts the votes of a member in the community of a listing. */
export function createCountedVotes(
  store: Pick<Store, 'ledgerIn'>,
  directory: Pick<Directory, 'find'>,
): (userId: string, listing: string) => Promise<number> {
  return async (userId, listing) => {
    const accounts = directory.find(listing)?.community.accounts ?? homeAccounts;
    return (await store.ledgerIn(accounts).account(userId)).votes;
  };
}
