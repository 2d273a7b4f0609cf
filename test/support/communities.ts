import type { ListingConfig } from '../../config/schema.ts';
import { type AccountId, accountIdOf, type CommunityId } from '../../src/core/ledger/account.ts';
import { type FindCommunityId, guildsOf } from '../../src/features/communities/community-ids.ts';
import type { Store } from '../../src/features/store.ts';

/** The community of listings without a guild, which every database has, and which gets the first guild of the settings. */
export const firstCommunity = 1 as CommunityId;

/** The account of a member in the {@link firstCommunity}. */
export function accountOf(userId: string): AccountId {
  return accountIdOf(firstCommunity, userId);
}

/** Adds the community of a guild to a database, if it has none. */
export async function addCommunity(
  { communityIds }: Pick<Store, 'communityIds'>,
  guildId: string,
): Promise<CommunityId> {
  const added = (await communityIds.add([guildId])).find((each) => each.guildId === guildId);
  if (added === undefined) throw new Error('no community');
  return added.id;
}

/** The communities of listings as a new database numbers them. */
export function communityIdsOf(listings: readonly Pick<ListingConfig, 'guildId'>[]): FindCommunityId {
  const guildIds = [...guildsOf(listings)];
  return (guildId) => {
    if (guildId === null) return firstCommunity;
    if (!guildIds.includes(guildId)) guildIds.push(guildId);
    return (guildIds.indexOf(guildId) + 1) as CommunityId;
  };
}
