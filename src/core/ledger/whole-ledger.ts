import type { AccountScope } from './account-id.ts';
import type { LedgerReads } from './ledger.ts';

/** The accounts of a member in all communities, added up. */
export function wholeLedger(store: {
  readonly communitiesOf: (userId: string) => Promise<readonly AccountScope[]>;
  readonly ledger: LedgerReads;
  readonly ledgerIn: (accounts: AccountScope) => LedgerReads;
}): LedgerReads {
  async function ledgersOf(userId: string): Promise<readonly LedgerReads[]> {
    const scopes = await store.communitiesOf(userId);
    return scopes.length === 0 ? [store.ledger] : scopes.map(store.ledgerIn);
  }
  return {
    async account(userId) {
      const accounts = await Promise.all((await ledgersOf(userId)).map((ledger) => ledger.account(userId)));
      const sum = (of: 'credits' | 'votes') => accounts.reduce((total, account) => total + account[of], 0);
      return { userId, credits: sum('credits'), votes: sum('votes') };
    },
    async lastVoteAt(userId, listing) {
      const times = await Promise.all((await ledgersOf(userId)).map((ledger) => ledger.lastVoteAt(userId, listing)));
      const known = times.filter((at) => at !== null);
      return known.length === 0 ? null : Math.max(...known);
    },
  };
}
