import type { ListingConfig } from '../../../config/schema.ts';

/** The Discord id of the server or bot of a listing, as far as it is known; null otherwise. */
export type FindTargetId = (listing: Pick<ListingConfig, 'name' | 'id' | 'lookupKey'>) => string | null;

export type ComparedListing = Pick<ListingConfig, 'name' | 'kind' | 'id' | 'lookupKey' | 'site'>;

/** The id in the settings. */
export const configuredId: FindTargetId = ({ id }) => id;

/**
 * Listings of one guild by the server or bot that they are: those of one kind with the same id or the same API key. Of
 * several, those with an API key are first, because the first one stands for all.
 */
export function groupByTarget<Listing extends ComparedListing>(
  listings: readonly Listing[],
  targetIdOf: FindTargetId,
): readonly (readonly Listing[])[] {
  const groups = new Set<Listing[]>();
  const byMark = new Map<string, Listing[]>();
  for (const listing of listings) {
    const marks = marksOf(listing, targetIdOf);
    const found = new Set(marks.flatMap((mark) => [byMark.get(mark) ?? []].filter((group) => group.length > 0)));
    const group = [...[...found].flat(), listing];
    for (const merged of found) groups.delete(merged);
    groups.add(group);
    for (const member of group) for (const mark of marksOf(member, targetIdOf)) byMark.set(mark, group);
  }
  return [...groups].map((group) =>
    group.toSorted((a, b) => Number(a.lookupKey === null) - Number(b.lookupKey === null)),
  );
}

function marksOf(listing: ComparedListing, targetIdOf: FindTargetId): string[] {
  // One bot on several sites is several listings.
  const kind = listing.site === undefined ? listing.kind : `${listing.site.id} ${listing.kind}`;
  const { lookupKey } = listing;
  const id = targetIdOf(listing);
  return [...(id === null ? [] : [`${kind} id ${id}`]), ...(lookupKey === null ? [] : [`${kind} key ${lookupKey}`])];
}
