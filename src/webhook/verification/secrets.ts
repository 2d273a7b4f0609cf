import type { Family } from '../event.ts';
import type { KnownSite } from '../sites/site.ts';
import { rejectUnknownSecrets } from './options.ts';
import { VerificationError } from './verification-error.ts';

/** One secret, or several that are valid at once, for rotation. Missing and empty ones are left out. */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The secrets of both kinds of webhooks. At least one is needed. */
export interface WebhookSecrets {
  readonly vote?: Secret;
  readonly premium?: Secret;
  /** Accepts unsigned server votes whose header `Authorization` has exactly this value. By default, none are accepted. */
  readonly authorization?: string | undefined;
}

/** The secrets of a listing on another site, such as top.gg, and what is known of the listing. */
export interface SiteSecrets {
  /** Such as `topgg`: the value of `site` in the settings. */
  readonly site: KnownSite | (string & {});
  /** As the site shows them. */
  readonly secrets: Secret;
  /** The Discord ID of the server or bot: votes for another one are not processed. By default any is accepted. */
  readonly id?: string | undefined;
}

/** The families for which each secret is valid. */
export interface ReadSecrets {
  readonly familiesOf: ReadonlyMap<string, readonly Family[]>;
  readonly authorization: string | null;
}

/** @throws VerificationError `webhook_secret_missing`; TallyhookError `invalid_options` for a name that does not exist */
export function readSecrets(secrets: Secret | WebhookSecrets): ReadSecrets {
  if (isByFamily(secrets)) rejectUnknownSecrets(secrets, ['vote', 'premium', 'authorization']);
  const { vote, premium, authorization } = isByFamily(secrets) ? secrets : { vote: secrets };
  const familiesOf = new Map<string, Family[]>();
  for (const secret of listOf(vote)) familiesOf.set(secret, ['vote']);
  for (const secret of listOf(premium)) {
    const families = familiesOf.get(secret) ?? [];
    if (!families.includes('premium')) familiesOf.set(secret, [...families, 'premium']);
  }
  const required = authorization === undefined || authorization === '' ? null : authorization;
  if (familiesOf.size === 0 && required === null) throw new VerificationError('webhook_secret_missing');
  return { familiesOf, authorization: required };
}

function isByFamily(secrets: Secret | WebhookSecrets): secrets is WebhookSecrets {
  return typeof secrets === 'object' && secrets !== null && !Array.isArray(secrets);
}

/** Those that are not empty. */
export function listOf(secret: Secret): readonly string[] {
  const all = Array.isArray(secret) ? secret : [secret];
  return all.filter((each) => typeof each === 'string' && each !== '');
}
