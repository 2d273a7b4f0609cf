import { createCardSource, readCard } from '../../core/announcements/listing-card.ts';
import type { Clock } from '../../platform/clock.ts';

/** Reads the names of listings on the service; takes at most half a second. */
export function createListingNames(
  findLookup: Parameters<typeof createCardSource>[0],
  stopwatch: Clock,
): (listings: readonly string[]) => Promise<ReadonlyMap<string, string>> {
  const source = createCardSource(findLookup);
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
