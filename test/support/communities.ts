import type { ListingConfig } from '../../config/schema.ts';
import type { CommunityId } from '../../src/core/ledger/account.ts';
import type { FindCommunityId } from '../../src/features/communities/community-ids.ts';

/** The community of listings without a guild, which every database has, and which gets the first guild of the settings. */
export const firstCommunity = 1 as CommunityId;

/** The communities of listings as a new database numbers them. */
export function communityIdsOf(listings: readonly Pick<ListingConfig, 'guildId'>[]): FindCommunityId {
  const guildIds = [...new Set(listings.flatMap(({ guildId }) => guildId ?? []))];
  return (guildId) => {
    if (guildId === null) return firstCommunity;
    if (!guildIds.includes(guildId)) guildIds.push(guildId);
    return (guildIds.indexOf(guildId) + 1) as CommunityId;
  };
}
