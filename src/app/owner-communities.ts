import { type AccountScope, accountIdOf, homeAccounts } from '../core/ledger/account-id.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { Directory } from '../features/communities/directory.ts';
import { accountsOf } from '../features/communities/listings.ts';
import type { Store } from '../features/store.ts';
import type { OwnerCommunities, OwnerCommunity } from '../owner/communities.ts';
import { BoundedMap } from '../platform/bounded-map.ts';

/** Communities whose leaderboards are kept in memory for the owner. */
const maxCommunities = 100;

/** The accounts of all communities, for the owner. @param standings those of the home community */
export function createOwnerCommunities({
  store,
  directory,
  home,
  standings,
}: {
  readonly store: Store;
  readonly directory: Directory;
  readonly home: string | null;
  readonly standings: Standings;
}): OwnerCommunities {
  const kept = new BoundedMap<OwnerCommunity>(maxCommunities);

  function communityWith(accounts: AccountScope): OwnerCommunity {
    const known = kept.get(accounts);
    if (known !== undefined) return known;
    const guildId = accounts === homeAccounts ? home : accounts;
    const timeZone = directory.ofGuild(guildId)?.timeZone ?? 'UTC';
    const community = {
      ...{ accounts, guildId, ledger: store.ledgerIn(accounts) },
      standings: accounts === homeAccounts ? standings : store.standingsIn(accounts, timeZone),
      isReminded: (userId: string) => store.reminders.isReminded(accountIdOf(accounts, userId)),
    };
    kept.set(accounts, community);
    return community;
  }

  return {
    get home() {
      return communityWith(homeAccounts);
    },
    inGuild: (guildId) => communityWith(accountsOf(guildId, home)),
    async of(userId) {
      const communities = await store.communitiesOf(userId);
      return (communities.length === 0 ? [homeAccounts] : communities.toSorted()).map(communityWith);
    },
  };
}
