import type { Listing } from '../listing/listing.ts';

/** What the profile of a listing shows besides the listing itself. */
export interface ProfileParts {
  /** Votes in total, and of the month. */
  readonly total: number;
  readonly month: number;
  /** The public URL of the service. */
  readonly origin: string;
}

/**
 * Builds the profile of a listing again only after a part of it has changed: as the same object, so that it is not
 * serialized again either. A changed listing is another object.
 */
export function rememberProfile<Kind extends Listing, Profile>(
  build: (listing: Kind, parts: ProfileParts) => Profile,
): (listing: Kind, parts: ProfileParts) => Profile {
  const last = new WeakMap<Kind, ProfileParts & { readonly profile: Profile }>();
  return (listing, parts) => {
    const { total, month, origin } = parts;
    const known = last.get(listing);
    if (known?.total === total && known.month === month && known.origin === origin) return known.profile;
    const profile = build(listing, parts);
    last.set(listing, { ...parts, profile });
    return profile;
  };
}
