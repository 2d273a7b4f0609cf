import type { CommunityId } from '../../src/core/ledger/account.ts';
import type { Community } from '../../src/features/communities/directory.ts';
import { createLedger } from '../../src/features/corrections/program-ledger.ts';
import type { Store } from '../../src/features/store.ts';
import { firstCommunity } from './communities.ts';

/** The ledger over a store, by default of the first community. @param guilds other communities by their guild */
export function ledgerOver(store: Store, now: number, guilds: Readonly<Record<string, CommunityId>> = {}) {
  const communityOf = (id: CommunityId, guildId: string | null) =>
    ({ id, guildId, named: [], listings: [] }) as never as Community;
  const byDefault = communityOf(firstCommunity, null);
  const others = Object.entries(guilds).map(([guildId, id]) => communityOf(id, guildId));
  const directory = {
    ...{ byDefault, communities: [byDefault, ...others], communityOf: () => undefined },
    ofGuild: (guildId: string | null) => others.find((each) => each.guildId === guildId),
  };
  return createLedger({ store, directory, clock: { now: () => now } }, null);
}
