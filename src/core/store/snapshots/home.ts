import { homeAfter, readHome } from '../installation/store.ts';
import { accessTo, type Snapshot } from './snapshot.ts';

/**
 * The guild of the home community with these settings, see `fixHome`; nothing is stored.
 * @param candidate the guild of the first listing of the settings; null if it has none, undefined without a listing
 * @param configured the guilds of all listings
 */
export async function homeIn(
  snapshot: Snapshot,
  candidate: string | null | undefined,
  configured: readonly string[],
): Promise<string | null> {
  const access = accessTo(snapshot);
  return homeAfter(access, await readHome(access), { candidate, configured });
}
