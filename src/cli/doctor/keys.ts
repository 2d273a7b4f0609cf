import type { ListingConfig } from '../../../config/schema.ts';
import { LookupError } from '../../lookup/lookup-error.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/check.ts';
import { messageOf } from '../../platform/errors.ts';
import type { InstallationCheck } from './installation.ts';
import type { KeyProfile } from './profiles.ts';

/** Whether each API key is valid, and belongs to the listing that it is configured for. */
export const keysCheck: InstallationCheck = {
  name: 'keys',
  async run({ profiles }) {
    const results = await profiles();
    if (results === null) {
      const message = 'The API keys were not checked, because the database cannot count the requests.';
      return [warn(message, 'Fix the database first.')];
    }
    return results.map((result) =>
      'profile' in result
        ? evaluateProfile(result.listing, result.profile)
        : evaluateLookupError(result.listing, result.error),
    );
  },
};

function evaluateProfile({ name, kind, id }: ListingConfig, profile: KeyProfile): Finding {
  if (id !== null && profile.id !== null && id !== profile.id) {
    return fail(
      `The API key of ${name} belongs to "${profile.name}" (${profile.id}), but ${name} is configured with the id ${id}.`,
      'Configure the key of this listing, or correct its id.',
    );
  }
  return pass(`The API key of ${name} is valid, for the ${kind} "${profile.name}".`);
}

function evaluateLookupError({ name, kind }: ListingConfig, error: unknown): Finding {
  if (error instanceof LookupError && error.status === 403) {
    return fail(
      `The service rejects the request with the API key of ${name} (403).`,
      'The key may still be valid: a firewall of the service may block this machine. Contact the support of the service.',
    );
  }
  if (!(error instanceof LookupError)) {
    return fail(`The API key of ${name} could not be checked: ${messageOf(error)}`, 'Fix this and run doctor again.');
  }
  switch (error.code) {
    case 'lookup_key_refused':
      return fail(`The service rejects the API key of ${name} (401).`, error.hint);
    case 'lookup_wrong_key_type':
      return fail(`The API key of ${name} is valid, but does not belong to a ${kind} (400).`, error.hint);
    case 'lookup_over_budget':
      return warn(`The API key of ${name} was not checked: ${error.message}`, error.hint);
    default:
      return fail(`The API key of ${name} could not be checked: ${error.message}`, error.hint);
  }
}
