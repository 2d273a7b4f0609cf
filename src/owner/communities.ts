import { type AccountScope, homeAccounts } from '../core/ledger/account.ts';
import type { LedgerReads } from '../core/ledger/ledger.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { RecordScope } from '../core/records/records.ts';
import type { Directory } from '../features/communities/directory.ts';
import { accountsOf } from '../features/communities/listings.ts';
import type { Store } from '../features/store.ts';
import { BoundedMap } from '../platform/bounded-map.ts';

/** What belongs to one community: what its managers see. */
export interface CommunityScope extends RecordScope {
  readonly accounts: AccountScope;
}

/** The accounts of one community. Reads reject with the driver's error. */
export interface OwnerCommunity {
  readonly accounts: AccountScope;
  /** Discord ID; null if the home community has no guild. */
  readonly guildId: string | null;
  readonly ledger: LedgerReads;
  readonly standings: Standings;
}

export type OwnerCommunities = ReturnType<typeof createOwnerCommunities>;

/** Communities whose leaderboards are kept in memory for the operator. */
const maxCommunities = 100;

/** The accounts of all communities, for the operator. @param options.standings those of the home community */
export function createOwnerCommunities(options: {
  readonly store: Store;
  readonly directory: Directory;
  readonly home: string | null;
  readonly standings: Standings;
}) {
  const { store, directory, home, standings } = options;
  const kept = new BoundedMap<OwnerCommunity>(maxCommunities);

  function communityWith(accounts: AccountScope): OwnerCommunity {
    const known = kept.get(accounts);
    if (known !== undefined) return known;
    const guildId = accounts === homeAccounts ? home : accounts;
    const timeZone = directory.ofGuild(guildId)?.timeZone ?? 'UTC';
    const community = {
      accounts,
      guildId,
      ledger: store.ledgerIn(accounts),
      standings: accounts === homeAccounts ? standings : store.standingsIn(accounts, timeZone),
    };
    kept.set(accounts, community);
    return community;
  }

  return {
    /** What is meant where no community is named: the only one, otherwise the home community. */
    get home(): OwnerCommunity {
      const [only, ...others] = directory.communities;
      return communityWith(only === undefined || others.length > 0 ? homeAccounts : only.accounts);
    },
    /** Also of a guild that is not configured any more. */
    inGuild: (guildId: string): OwnerCommunity => communityWith(accountsOf(guildId, home)),
    /** Those in which the member has an account, the home community first; that alone if the member has none. */
    async of(userId: string): Promise<readonly OwnerCommunity[]> {
      const communities = await store.communitiesOf(userId);
      return (communities.length === 0 ? [homeAccounts] : communities.toSorted()).map(communityWith);
    },
  };
}

/** What belongs to each community whose guild is known, as it is configured now. */
export function createCommunityScopes(directory: Directory) {
  return {
    ids: () => directory.communities.flatMap(({ guildId }) => guildId ?? []),
    scopeOf(guildId: string): CommunityScope | null {
      const community = directory.ofGuild(guildId);
      if (community === undefined) return null;
      const { accounts, listings } = community;
      const former = listings
        .flatMap(({ formerLinks = [] }) => formerLinks.map(({ name }) => name))
        // The operator may have given the name to another one.
        .filter((name) => (directory.communityOf(name) ?? community) === community);
      const channels = listings.flatMap((each) => [each.announceChannelId, each.premiumChannelId, each.ownerChannelId]);
      return {
        guildId,
        accounts,
        listings: [...new Set([...listings.map(({ name }) => name), ...former])],
        channels: [...new Set(channels.filter((id) => id !== null))].filter((id) => isOwn(id, guildId)),
      };
    },
  };

  /** A channel that another community posts in as well says nothing of whose effects they are. */
  function isOwn(channelId: string, guildId: string): boolean {
    return directory.inChannel(channelId).every((listing) => listing.guildId === guildId);
  }
}
