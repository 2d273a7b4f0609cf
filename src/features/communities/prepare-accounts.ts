import type { ListingConfig } from '../../../config/schema.ts';
import { homeAccounts } from '../../core/ledger/account-id.ts';
import { withoutSecrets } from '../../core/receiving/listing.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Store } from '../store.ts';
import { fixHome, separateCommunities } from './home.ts';
import { listingsWithCommunity } from './listings.ts';

/**
 * Determines the home community, and divides the accounts of earlier versions if the settings name several guilds. To be
 * called before votes are received.
 * @param listings those of the settings
 * @returns the guild of the home community; null if there is none, or its listings have no guild
 */
export async function prepareAccounts(
  { installation }: Pick<Store, 'installation'>,
  listings: readonly ListingConfig[],
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Promise<string | null> {
  const [first] = listings;
  if (first === undefined) return null;
  const guilds = listings.flatMap(({ guildId }) => guildId ?? []);
  const home = await fixHome(installation, first.guildId, guilds);
  await separateAccounts({ installation }, { listings, home }, { clock, log });
  return home;
}

/**
 * Divides the accounts of earlier versions. To be repeated, because processes of such a version may still run.
 * @param configured the listings of the settings, and the guild of the home community
 */
export async function separateAccounts(
  { installation }: Pick<Store, 'installation'>,
  { listings, home }: { readonly listings: readonly ListingConfig[]; readonly home: string | null },
  { clock, log }: { readonly clock: Pick<Clock, 'now'>; readonly log: Log },
): Promise<void> {
  const contexts = listingsWithCommunity(listings, home).map(withoutSecrets);
  const isMoved = ({ community }: (typeof contexts)[number]) => community.accounts !== homeAccounts;
  const moved = contexts.filter(isMoved);
  if (moved.length === 0) return;
  const kept = contexts.filter((listing) => !isMoved(listing));
  const members = await separateCommunities(installation, { moved, kept }, clock.now());
  if (members > 0) log.info({ members }, 'moved credits and votes to accounts of their own servers');
}
