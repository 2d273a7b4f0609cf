import type { ListingSecrets, WebhookListing, WithoutSecrets } from './listing.ts';
import { indexSecrets, type SecretIndex } from './secret-index.ts';

interface Entry<Listing> {
  readonly listing: Listing & ListingSecrets;
  /** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
  index: SecretIndex<Listing> | undefined;
}

/** The secrets of each listing alone, by its name. */
export function createListingIndexes<Listing extends WebhookListing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
) {
  let entries: ReadonlyMap<string, Entry<Listing>> = new Map();
  replace(listings);

  /** Keeps what it has of listings that are the same objects. */
  function replace(next: readonly (Listing & ListingSecrets)[]): void {
    const earlier = entries;
    const entryOf = (listing: Listing & ListingSecrets): Entry<Listing> => {
      const known = earlier.get(listing.name);
      return known?.listing === listing ? known : { listing, index: undefined };
    };
    entries = new Map(next.map((listing) => [listing.name, entryOf(listing)]));
  }

  return {
    has: (name: string) => entries.has(name),
    get(name: string): SecretIndex<Listing> | undefined {
      const entry = entries.get(name);
      if (entry !== undefined) entry.index ??= indexSecrets([entry.listing], withoutSecrets);
      return entry?.index;
    },
    replace,
  };
}
