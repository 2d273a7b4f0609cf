import type { Clock } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Logger } from '@tallyhook/platform/logger';
import { callback, checkOptions, clock, instance, log } from '@tallyhook/platform/options';
import type { Keyv } from 'keyv';
import { z } from 'zod';
import type { BudgetStore } from './budget.ts';
import type { LastVote } from './freshness.ts';
import { type ListingKind, listingKinds, type ObserveAge, type ObserveLookup } from './lookup.ts';

/** The options of a lookup client. All but the first three have a default. @category Lookup */
export interface LookupOptions<Kind extends ListingKind = ListingKind> {
  /** What the key belongs to. Decides the available endpoints and the type of the profile. */
  readonly kind: Kind;
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The listing's API key. */
  readonly key: string;
  /** The cache of responses; in memory by default. Several clients may share one. */
  readonly cache?: Keyv;
  /**
   * The log of requests for the limit of 120 per minute and key; in memory by default. All
   * clients that use the same key must share one.
   */
  readonly budget?: BudgetStore;
  /** The clock of this machine by default. */
  readonly clock?: Clock;
  /** Any logger, such as `console` or one of pino or winston; silent by default. */
  readonly log?: Logger;
  /** The user's last vote for this listing according to the ledger; none by default. A rejection is logged. */
  readonly lastVote?: LastVote;
  /** How long a vote blocks the next one (ms); 12 hours by default. */
  readonly cooldownMs?: number;
  /** Request timeout (ms); 5 seconds by default. All clients that share a budget must use at most this timeout. */
  readonly timeoutMs?: number;
  /** For metrics: called for every event. */
  readonly observe?: ObserveLookup;
  /** For metrics: called for every returned value. */
  readonly observeAge?: ObserveAge;
}

const milliseconds = z.number().positive();

const lookupOptions = z.strictObject({
  kind: z.unknown().optional(),
  baseUrl: z.unknown().optional(),
  key: z.unknown().optional(),
  cache: instance.optional(),
  budget: instance.optional(),
  clock: clock.optional(),
  log: log.optional(),
  lastVote: callback.optional(),
  cooldownMs: milliseconds.optional(),
  timeoutMs: milliseconds.optional(),
  observe: callback.optional(),
  observeAge: callback.optional(),
} satisfies Record<keyof LookupOptions, z.ZodType>);

/**
 * Checks the options of a lookup client, also unknown ones.
 * @throws InvalidConfigError `invalid_options`, with all issues
 * @throws TallyhookError
 */
export function checkLookupOptions(options: LookupOptions): void {
  checkOptions('createLookup', options, lookupOptions, ([option]) =>
    option === undefined ? 'Pass { kind, baseUrl, key }.' : 'Correct it.',
  );
  checkRequiredOptions(options);
}

/**
 * Checks the required options of a lookup client. Without it, callers without a type checker, or with an unset
 * environment variable, would see a failed request later. The errors name the option and never contain its value: the
 * key is a secret, and a URL may contain one.
 * @throws TallyhookError
 */
function checkRequiredOptions(options: { kind: ListingKind; baseUrl: string; key: string }): void {
  checkKind(options.kind);
  checkBaseUrl(options.baseUrl);
  if (isUnset(options.key)) {
    throw new TallyhookError('lookup_key_missing', 'The option "key" of the lookup client is not set.', {
      hint: "Pass the API key of the listing, from the service's dashboard (edit view, advanced setup).",
    });
  }
}

function checkKind(kind: unknown): void {
  const choices = listingKinds.map((listingKind) => `"${listingKind}"`).join(' or ');
  const hint = `Pass ${choices}, depending on what the API key belongs to.`;
  if (isUnset(kind)) {
    throw new TallyhookError('lookup_kind_missing', 'The option "kind" of the lookup client is not set.', { hint });
  }
  if (!listingKinds.some((listingKind) => listingKind === kind)) {
    throw new TallyhookError('lookup_kind_unknown', `The option "kind" of the lookup client must be ${choices}.`, {
      hint,
    });
  }
}

function checkBaseUrl(baseUrl: unknown): void {
  const hint = 'Pass the http(s) URL of the lookup API, ending in /api/v1, without user, password or query.';
  if (isUnset(baseUrl)) {
    throw new TallyhookError('lookup_base_url_missing', 'The option "baseUrl" of the lookup client is not set.', {
      hint,
    });
  }
  if (!isBaseUrl(baseUrl)) {
    throw new TallyhookError(
      'lookup_base_url_malformed',
      'The option "baseUrl" of the lookup client is not the URL of a lookup API.',
      { hint },
    );
  }
}

/** Excludes URLs with a user or password: `fetch` rejects them with an error that contains the URL. */
function isBaseUrl(baseUrl: unknown): boolean {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(baseUrl);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && `${username}${password}${search}${hash}` === '' && /\/api\/v1\/*$/.test(pathname);
}

/** Includes the empty string, a common fallback for an unset environment variable. */
function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
