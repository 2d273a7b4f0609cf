import type { Family } from '../../webhook/event.ts';
import type { SiteSettings } from '../../webhook/sites/index.ts';
import type { ListingContext } from '../tally/listing-context.ts';

/** A listing that a delivery can be routed to. */
export interface ResolvableListing extends ListingContext {
  /** The other site that it is on, whose scheme its deliveries have; missing for the document's service. */
  readonly site?: SiteSettings;
  /**
   * True if the listing exists in the configuration only because variables describe both a server and a bot. It
   * receives only events that name its kind.
   */
  readonly implied: boolean;
}

/** A listing with the secrets of its webhooks. */
export interface ListingWithSecrets extends ResolvableListing {
  readonly voteSecrets: readonly string[];
  readonly premiumSecrets: readonly string[];
  /** The complete value of the header `Authorization`; null if every vote must be signed. */
  readonly voteAuthorization: string | null;
  /**
   * True if its secrets are valid at its own address only, as those of every listing that an owner has linked: at the
   * shared addresses, a weak secret that two owners have chosen would mix up their listings.
   */
  readonly ownAddress?: true;
}

/** Permission that a secret gives: deliveries of this family for this listing. */
export interface ListingScope {
  readonly listing: ResolvableListing;
  readonly family: Family;
}

/** The listing without its secrets. */
export function withoutSecrets(listing: ResolvableListing): ResolvableListing {
  const { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId, site } = listing;
  const context = { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId };
  return site === undefined ? context : { ...context, siteId: site.id };
}
