import type { FormerLink, ListingConfig } from '../../../config/schema.ts';
import { parseLink } from '../../core/settings/listing-settings.ts';
import type { StoredCommunity } from '../../core/settings/stored-settings.ts';
import { parseJson } from '../../platform/json.ts';

/** Adds to the listings of a guild what was linked there before. A link without an id cannot be compared. */
export function withFormerLinks(
  listings: readonly ListingConfig[],
  { formerLinks }: Pick<StoredCommunity, 'formerLinks'>,
): readonly ListingConfig[] {
  const former = formerLinks.flatMap(({ listing: name, value }): FormerLink[] => {
    const link = parseLink(parseJson(value));
    const isLinked = listings.some((each) => each.name === name);
    return link === null || link.id === null || isLinked ? [] : [{ name, kind: link.kind, id: link.id }];
  });
  return former.length === 0 ? listings : listings.map((listing) => ({ ...listing, formerLinks: former }));
}
