import type { ListingSecrets, SecretScope, WebhookListing } from '../../webhook/listing.ts';
import type { ListingContext } from '../tally/listing-context.ts';

/** A listing that a delivery can be routed to. */
export interface ResolvableListing extends ListingContext, WebhookListing {
  /**
   * Whether the listing exists in the configuration only because variables describe both a server and a bot. It
   * receives only events that name its kind.
   */
  readonly implied: boolean;
}

/** A listing with the secrets of its webhooks. */
export interface ListingWithSecrets extends ResolvableListing, ListingSecrets {}

/** What a secret authorizes. */
export type ListingScope = SecretScope<ResolvableListing>;

/** The listing without its secrets. */
export function withoutSecrets(listing: ResolvableListing): ResolvableListing {
  const { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId, site } = listing;
  const context = { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId };
  return site === undefined ? context : { ...context, siteId: site.id };
}
