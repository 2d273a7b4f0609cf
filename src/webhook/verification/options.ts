import { systemNow } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Family } from '../event.ts';
import type { KnownSite } from '../sites/site.ts';
import { VerificationError } from './verification-error.ts';

/** How to read what a delivery leaves open. */
export interface VerifyOptions {
  /**
   * What a vote is for that names only its voter: the listing that the webhook belongs to, by default a server. With
   * null such votes are not processed (`webhook_unprocessable`).
   */
  readonly kind?: 'server' | 'bot' | null;
  /** The current time (ms since the epoch). A later event is not processed if it is more than 5 minutes ahead. */
  readonly now?: number;
  /**
   * The greatest age of an event (ms), so that a captured delivery is of no use later; by default any. An older one, and
   * one without a time, is rejected (`webhook_too_old`), but not a test. The service repeats a delivery with the time of
   * the event, so allow for hours in which your program may be down.
   */
  readonly maxAgeMs?: number;
}

const isTime = (value: unknown) => typeof value === 'number' && value >= 0;

/** What each option may be. A wrong one would compare as false, and so accept everything. */
const checks: Readonly<Record<keyof VerifyOptions, readonly [isValid: (value: unknown) => boolean, hint: string]>> = {
  kind: [(value) => value === 'server' || value === 'bot' || value === null, "Pass 'server', 'bot' or null."],
  now: [isTime, 'Pass milliseconds since the epoch, as of Date.now.'],
  maxAgeMs: [isTime, 'Pass milliseconds: 24 * 60 * 60 * 1000 for a day.'],
};
const names = Object.keys(checks) as (keyof VerifyOptions)[];

/** A misspelled secret would be left out. @throws TallyhookError `invalid_options` */
export function rejectUnknownSecrets(secrets: object, known: readonly string[]): void {
  const unknown = Object.keys(secrets).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`${unknown} is not one of the secrets of verify.`, `Pass an object with ${known.join(', ')}.`);
}

/** The options with their defaults. @throws TallyhookError `invalid_options`, also for an unknown one */
export function readOptions(options: VerifyOptions): Required<VerifyOptions> {
  if (typeof options !== 'object' || options === null)
    throw invalid('The options of verify are not an object.', 'Pass an object, such as { maxAgeMs }.');
  for (const [name, value] of Object.entries(options)) {
    const known = names.find((each) => each === name);
    if (known === undefined)
      throw invalid(`${name} is not an option of verify.`, `The options are ${names.join(', ')}.`);
    const [isValid, hint] = checks[known];
    if (value !== undefined && !isValid(value)) throw invalid(`The option ${name} of verify is invalid.`, hint);
  }
  const { kind = 'server', now = systemNow(), maxAgeMs = Number.POSITIVE_INFINITY } = options;
  return { kind, now, maxAgeMs };
}

function invalid(message: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_options', message, { hint });
}

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
