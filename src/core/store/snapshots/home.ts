import { homeAfter, readHome } from '../installation/store.ts';
import { accessTo, type Snapshot } from './snapshot.ts';

/**
 * The guild of the home community with these settings, see `fixHome`; nothing is stored.
 * @param candidate the guild of the first listing of the settings @param configured the guilds of all listings
 */
export async function homeIn(
  snapshot: Snapshot,
  candidate: string | null,
  configured: readonly string[],
): Promise<string | null> {
  const access = accessTo(snapshot);
  return homeAfter(access, await readHome(access), { candidate, configured });
}
