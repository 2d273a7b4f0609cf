import type { AccountScope } from '../core/ledger/account-id.ts';
import type { LedgerReads } from '../core/ledger/ledger.ts';
import type { Standings } from '../core/ledger/standing.ts';

/** The accounts of one community. Reads reject with the driver's error. */
export interface OwnerCommunity {
  readonly accounts: AccountScope;
  /** Discord ID; null if the home community has no guild. */
  readonly guildId: string | null;
  readonly ledger: LedgerReads;
  readonly standings: Standings;
  /** Whether the member has asked to be reminded of the next vote. */
  readonly isReminded: (userId: string) => Promise<boolean>;
}

/** All communities with accounts. */
export interface OwnerCommunities {
  readonly home: OwnerCommunity;
  /** Also of a guild that is not configured any more. */
  inGuild(guildId: string): OwnerCommunity;
  /** Those in which the member has an account, the home community first; that alone if the member has none. */
  of(userId: string): Promise<readonly OwnerCommunity[]>;
}
