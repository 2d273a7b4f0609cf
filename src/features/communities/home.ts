import type { ListingConfig } from '../../../config/schema.ts';
import type { InstallationStore } from '../../core/store/installation/store.ts';
import type { Store } from '../store.ts';

/**
 * The guild of the home community, whose accounts are stored under the ids of the members; null if its listings have no
 * guild. It is stored by the first call, so that another order of the settings moves nobody's credits. One that was not
 * known is replaced by the candidate, and so is one that is not configured any more, unless the candidate has accounts
 * of its own. Rejects with the errors of the store.
 *
 * @param candidate the guild of the first listing of the settings; null if it has none
 * @param configured the guilds of all listings of the settings
 */
export async function fixHome(
  store: InstallationStore,
  candidate: string | null,
  configured: readonly string[],
): Promise<string | null> {
  const { stored, home } = await store.home({ candidate, configured });
  return home === stored ? home : store.fixHome({ candidate, configured });
}

/**
 * Determines the home community. To be called before votes are received.
 * @param listings those of the settings
 * @returns the guild of the home community; null if there is none, or its listings have no guild. Without listings that of
 *   earlier settings
 */
export async function prepareAccounts(
  { installation }: Pick<Store, 'installation'>,
  listings: readonly ListingConfig[],
): Promise<string | null> {
  const [first] = listings;
  if (first === undefined) return (await installation.home({ candidate: undefined, configured: [] })).home;
  const guilds = listings.flatMap(({ guildId }) => guildId ?? []);
  return fixHome(installation, first.guildId, guilds);
}
