import type { ListedLookup } from '../../discord/commands/command.ts';
import type { CardSource } from './listing-card.ts';

/** Reads the listing's name and URL on the service, for announcements. */
export function createCardSource(findLookup: (listing: string) => ListedLookup | undefined): CardSource {
  return async (name) => {
    const listing = findLookup(name);
    if (listing === undefined) return null;
    const { value } = await listing.lookup.profile();
    return { name: value.name, url: value.url };
  };
}
