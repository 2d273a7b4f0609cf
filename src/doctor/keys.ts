import type { Listing } from '../../config/schema.ts';
import { messageOf } from '../errors.ts';
import { LookupFailure, LookupUnexpectedStatus } from '../lookup/failures.ts';
import type { BotProfile, ServerProfile } from '../lookup/schemas.ts';
import { type Finding, fault, note, well } from './finding.ts';

/** The listing that a key belongs to, as the service says it. Throws LookupFailure. */
export type ProfileOf = (listing: Listing, key: string) => Promise<Pick<ServerProfile | BotProfile, 'name' | 'id'>>;

/** Each key is asked once: is it valid, and is it the key of what it is configured for? */
export async function checkKeys(listings: readonly Listing[], profileOf: ProfileOf): Promise<Finding[]> {
  const keyed = listings.flatMap((listing) =>
    listing.lookupKey === null ? [] : [{ listing, key: listing.lookupKey }],
  );
  return Promise.all(
    keyed.map(async ({ listing, key }) => {
      try {
        return judgeProfile(listing, await profileOf(listing, key));
      } catch (error) {
        return judgeFailure(listing, error);
      }
    }),
  );
}

export function judgeProfile({ name, kind, id }: Listing, profile: Awaited<ReturnType<ProfileOf>>): Finding {
  if (id !== null && profile.id !== null && id !== profile.id) {
    return fault(
      `The key of ${name} belongs to "${profile.name}" with the id ${profile.id}, but ${name} is configured with the id ${id}.`,
      'Give the listing its own key, or correct its id.',
    );
  }
  return well(`The key of ${name} is valid: it belongs to the ${kind} "${profile.name}".`);
}

export function judgeFailure({ name, kind }: Listing, error: unknown): Finding {
  if (error instanceof LookupUnexpectedStatus && error.status === 403) {
    return fault(
      `The service forbids the request with the key of ${name} (403).`,
      "The key may be right all the same: something before the service may block this machine. Ask the service's support.",
    );
  }
  if (!(error instanceof LookupFailure)) {
    return fault(
      `The key of ${name} could not be tried: ${messageOf(error)}`,
      'Correct that and run the doctor again.',
    );
  }
  switch (error.code) {
    case 'lookup_key_refused':
      return fault(`The service does not accept the key of ${name} (401).`, error.cure);
    case 'lookup_wrong_key_type':
      return fault(`The key of ${name} is valid, but it is not the key of a ${kind} (400).`, error.cure);
    case 'lookup_over_budget':
      return note(`The key of ${name} was not tried: ${error.message}`, error.cure);
    default:
      return fault(`The key of ${name} could not be tried: ${error.message}`, error.cure);
  }
}
