import type { ListingWithSecrets } from './listing.ts';
import { indexSecrets, type SecretIndex } from './secret-index.ts';

/** The secrets of each listing alone, by its name. */
export interface ListingIndexes {
  has(listing: string): boolean;
  get(listing: string): SecretIndex | undefined;
  /** Keeps what it has of listings that are the same objects. */
  replace(listings: readonly ListingWithSecrets[]): void;
}

interface Entry {
  readonly listing: ListingWithSecrets;
  /** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
  index: SecretIndex | undefined;
}

export function createListingIndexes(listings: readonly ListingWithSecrets[]): ListingIndexes {
  let entries: ReadonlyMap<string, Entry> = new Map();
  replace(listings);

  function replace(next: readonly ListingWithSecrets[]): void {
    const earlier = entries;
    const entryOf = (listing: ListingWithSecrets): Entry => {
      const known = earlier.get(listing.name);
      return known?.listing === listing ? known : { listing, index: undefined };
    };
    entries = new Map(next.map((listing) => [listing.name, entryOf(listing)]));
  }

  return {
    has: (name) => entries.has(name),
    get(name) {
      const entry = entries.get(name);
      if (entry !== undefined) entry.index ??= indexSecrets([entry.listing]);
      return entry?.index;
    },
    replace,
  };
}
