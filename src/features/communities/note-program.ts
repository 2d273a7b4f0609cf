import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { ListingConfig } from '../../../config/schema.ts';
import { findSite } from '../../webhook/sites/index.ts';
import type { Store } from '../store.ts';

/**
 * Stores what `tallyhook doctor` cannot know of a running program: its commands, and its listings, which may be in code.
 * Never rejects: without it, the doctor only knows less.
 * @param names of the commands that it answers; null if it answers none
 */
export async function noteProgram(
  { installation }: Pick<Store, 'installation'>,
  listings: readonly ListingConfig[],
  names: readonly string[] | null,
  log: Log,
): Promise<void> {
  try {
    await installation.noteListings(
      listings
        .filter(({ implied }) => !implied)
        .map(({ name, kind, site, announceChannelId: channelId, ...secrets }) => ({
          ...{ name, kind, channelId, site: site === undefined ? null : findSite(site).name },
          hasSecret: secrets.voteSecrets.length > 0 || secrets.voteAuthorization !== null,
        })),
    );
    if (names !== null) await installation.noteCommands(names);
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the settings were not noted for `tallyhook doctor`');
  }
}
