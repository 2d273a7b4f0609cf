import type { ListingSecrets, WebhookListing, WithoutSecrets } from './listing.ts';
import { indexSecrets, type SecretIndex } from './secret-index.ts';

/** The secrets of each listing alone, by its name. */
export interface ListingIndexes<Listing> {
  has(listing: string): boolean;
  get(listing: string): SecretIndex<Listing> | undefined;
  /** Keeps what it has of listings that are the same objects. */
  replace(listings: readonly (Listing & ListingSecrets)[]): void;
}

interface Entry<Listing> {
  readonly listing: Listing & ListingSecrets;
  /** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
  index: SecretIndex<Listing> | undefined;
}

export function createListingIndexes<Listing extends WebhookListing>(
  listings: readonly (Listing & ListingSecrets)[],
  withoutSecrets: WithoutSecrets<Listing>,
): ListingIndexes<Listing> {
  let entries: ReadonlyMap<string, Entry<Listing>> = new Map();
  replace(listings);

  function replace(next: readonly (Listing & ListingSecrets)[]): void {
    const earlier = entries;
    const entryOf = (listing: Listing & ListingSecrets): Entry<Listing> => {
      const known = earlier.get(listing.name);
      return known?.listing === listing ? known : { listing, index: undefined };
    };
    entries = new Map(next.map((listing) => [listing.name, entryOf(listing)]));
  }

  return {
    has: (name) => entries.has(name),
    get(name) {
      const entry = entries.get(name);
      if (entry !== undefined) entry.index ??= indexSecrets([entry.listing], withoutSecrets);
      return entry?.index;
    },
    replace,
  };
}
