import type { Family } from '../core/ledger/event.ts';
import type { ListingContext } from '../core/tally/listing-context.ts';

/** A listing that a delivery can be routed to. */
export interface ResolvableListing extends ListingContext {
  /** Discord ID of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
  /**
   * Whether the listing exists in the configuration only because variables describe both a server and a bot. It
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
   * Linked by the owner of a community. Its secrets are valid at its own address only: at the shared addresses, a weak
   * secret that two owners have chosen would mix up their listings.
   */
  readonly linked?: true;
}

/** What a secret authorizes: deliveries of this family for this listing. */
export interface SecretScope {
  readonly listing: ResolvableListing;
  readonly family: Family;
}

/** The listing without its secrets. */
export function withoutSecrets(listing: ResolvableListing): ResolvableListing {
  const { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId } = listing;
  return { id, implied, name, kind, rewards, community, announced, announceChannelId, premiumChannelId };
}
