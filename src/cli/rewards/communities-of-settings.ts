import type { ListingConfig } from '../../../config/schema.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import { homeIn } from '../../core/store/snapshots/home.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { listingsWithCommunity } from '../../features/communities/listings.ts';

/** The listings of the settings by the accounts of their members: those of one community each. */
export async function communitiesOfSettings(
  snapshot: Snapshot,
  configured: readonly ListingConfig[],
): Promise<readonly (readonly ListingContext[])[]> {
  const guilds = configured.flatMap(({ guildId }) => guildId ?? []);
  const home = await homeIn(snapshot, configured[0]?.guildId ?? null, guilds);
  const named = configured.filter(({ implied }) => !implied);
  const listings = listingsWithCommunity(named, home).map(withoutSecrets);
  return [...Map.groupBy(listings, ({ community }) => community.accounts).values()];
}
