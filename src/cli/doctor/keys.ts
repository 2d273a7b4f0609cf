import type { ListingConfig } from '../../../config/schema.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import type { BotProfile, ServerProfile } from '../../lookup/schemas.ts';
import { messageOf } from '../../platform/errors.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** The listing that a key belongs to, as the service says it. Throws LookupError. */
export type ProfileOf = (
  listing: ListingConfig,
  key: string,
) => Promise<Pick<ServerProfile | BotProfile, 'name' | 'id'>>;

/** Each key is asked once: is it valid, and is it the key of what it is configured for? */
export async function checkKeys(listings: readonly ListingConfig[], profileOf: ProfileOf): Promise<Finding[]> {
  const keyed = listings.flatMap((listing) =>
    listing.lookupKey === null ? [] : [{ listing, key: listing.lookupKey }],
  );
  return Promise.all(
    keyed.map(async ({ listing, key }) => {
      try {
        return evaluateProfile(listing, await profileOf(listing, key));
      } catch (error) {
        return evaluateLookupError(listing, error);
      }
    }),
  );
}

export function evaluateProfile({ name, kind, id }: ListingConfig, profile: Awaited<ReturnType<ProfileOf>>): Finding {
  if (id !== null && profile.id !== null && id !== profile.id) {
    return fail(
      `The key of ${name} belongs to "${profile.name}" with the id ${profile.id}, but ${name} is configured with the id ${id}.`,
      'Give the listing its own key, or correct its id.',
    );
  }
  return pass(`The key of ${name} is valid: it belongs to the ${kind} "${profile.name}".`);
}

export function evaluateLookupError({ name, kind }: ListingConfig, error: unknown): Finding {
  if (error instanceof LookupError && error.status === 403) {
    return fail(
      `The service forbids the request with the key of ${name} (403).`,
      "The key may be right all the same: something before the service may block this machine. Ask the service's support.",
    );
  }
  if (!(error instanceof LookupError)) {
    return fail(`The key of ${name} could not be tried: ${messageOf(error)}`, 'Correct that and run the doctor again.');
  }
  switch (error.code) {
    case 'lookup_key_refused':
      return fail(`The service does not accept the key of ${name} (401).`, error.hint);
    case 'lookup_wrong_key_type':
      return fail(`The key of ${name} is valid, but it is not the key of a ${kind} (400).`, error.hint);
    case 'lookup_over_budget':
      return warn(`The key of ${name} was not tried: ${error.message}`, error.hint);
    default:
      return fail(`The key of ${name} could not be tried: ${error.message}`, error.hint);
  }
}
