import type { Family } from './event.ts';
import type { SiteSettings } from './sites/site-settings.ts';

/** A listing as far as the deliveries for it are verified. */
export interface WebhookListing {
  readonly name: string;
  /** Discord ID of the server or bot; null if the configuration does not need it. */
  readonly id: string | null;
  /** The other site that it is on, whose scheme its deliveries have; missing for the document's service. */
  readonly site?: SiteSettings;
}

/** The secrets of the webhooks of a listing. */
export interface ListingSecrets {
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
export interface SecretScope<Listing> {
  readonly listing: Listing;
  readonly family: Family;
}

/** Returns a listing without its secrets: what a scope passes on. */
export type WithoutSecrets<Listing> = (listing: Listing & ListingSecrets) => Listing;
