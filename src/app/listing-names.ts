import type { SetupChecks } from '../../commands/setup-checks.ts';
import { type CardSource, readCard } from '../discord/announcements/listing-card.ts';
import type { Clock } from '../platform/clock.ts';

/** Reads the names of listings on the service; takes at most half a second. */
export function createListingNames(source: CardSource, stopwatch: Clock): SetupChecks['listingNames'] {
  return async (listings) => {
    const names = new Map<string, string>();
    const readName = async (listing: string) => {
      const card = await readCard(source, listing, stopwatch);
      if (card?.name) names.set(listing, card.name);
    };
    await Promise.all(listings.map(readName));
    return names;
  };
}
