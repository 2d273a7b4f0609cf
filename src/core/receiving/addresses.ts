import { memoizeOne } from '@tallyhook/platform/memoize';
import type { Credentials } from '../../webhook/sites/authenticate.ts';
import { service } from '../../webhook/sites/service.ts';
import type { Site } from '../../webhook/sites/site.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';
import { type ListingScope, type ListingWithSecrets, withoutSecrets } from './listing.ts';

/** Where deliveries arrive: at the address of a listing, or at the shared ones of all listings of the service. */
export interface Address {
  /** Null for the shared addresses. */
  readonly listing: ListingWithSecrets | null;
  /** Says how deliveries are authenticated and read. */
  readonly site: Site;
  readonly credentials: Required<Credentials>;
  /** What each secret authorizes, in their order: one listing, or several that share it. */
  readonly scopesOfSecrets: readonly Scopes[];
  /** What each authorization accepts, in their order. */
  readonly scopesOfAuthorizations: readonly Scopes[];
}

type Scopes = readonly ListingScope[];

/** The listings as they are configured now. */
export interface ReceivingListings {
  /** The same array as long as nothing has changed. */
  readonly listings: readonly ListingWithSecrets[];
  find(name: string): ListingWithSecrets | undefined;
}

/** Computed for the first delivery: among thousands of listings, a few get deliveries between two changes. */
const addressOfListing = memoizeOne((listing: ListingWithSecrets): Address => {
  const site = listing.site === undefined ? service : findSite(listing.site);
  return { listing, site, ...secretsOf([listing]) };
});

const sharedAddress = memoizeOne((listings: readonly ListingWithSecrets[]): Address => {
  const shared = listings.filter(({ site, ownAddress }) => site === undefined && !ownAddress);
  return { listing: null, site: service, ...secretsOf(shared) };
});

/** @param name of a listing; null for the shared addresses. Undefined without such a listing */
export function findAddress(directory: ReceivingListings, name: string | null): Address | undefined {
  if (name === null) return sharedAddress(directory.listings);
  const listing = directory.find(name);
  return listing && addressOfListing(listing);
}

/** Each scope has the same listing object for every delivery, which is sent to the writer once. */
function secretsOf(listings: readonly ListingWithSecrets[]): Omit<Address, 'listing' | 'site'> {
  const secrets = new Map<string, Scopes>();
  const authorizations = new Map<string, Scopes>();
  for (const listingWithSecrets of listings) {
    const { voteSecrets, premiumSecrets, voteAuthorization } = listingWithSecrets;
    const listing = withoutSecrets(listingWithSecrets);
    for (const secret of voteSecrets) append(secrets, secret, { listing, family: 'vote' });
    for (const secret of premiumSecrets) append(secrets, secret, { listing, family: 'premium' });
    if (voteAuthorization !== null) append(authorizations, voteAuthorization, { listing, family: 'vote' });
  }
  return {
    credentials: { secrets: [...secrets.keys()], authorizations: [...authorizations.keys()] },
    scopesOfSecrets: [...secrets.values()],
    scopesOfAuthorizations: [...authorizations.values()],
  };
}

function append(scopes: Map<string, Scopes>, secret: string, scope: ListingScope): void {
  const known = scopes.get(secret) ?? [];
  const isRepeated = known.some(({ listing, family }) => listing === scope.listing && family === scope.family);
  if (!isRepeated) scopes.set(secret, [...known, scope]);
}
