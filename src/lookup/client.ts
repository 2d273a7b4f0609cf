import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { adaptLogger, type Logger, silentLogger } from '@tallyhook/platform/logger';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { callback, checkOptions, clock, instance, log } from '@tallyhook/platform/options';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { untilAborted } from '@tallyhook/platform/with-timeout';
import type { Keyv } from 'keyv';
import { z } from 'zod';
import { type BudgetStore, createBudget, fingerprint, memoryBudgetStore } from './budget.ts';
import { type LastVote, voteStatusAt, withLedger, withSecondsLeft } from './cache.ts';
import { maxReviews, profileEndpoint, reviewsEndpoint, votesEndpoint } from './endpoints.ts';
import { createHttp } from './http.ts';
import {
  type CachedReviews,
  type CachedValue,
  type CachedVoteStatus,
  type ListingKind,
  type LookupClient,
  listingKinds,
  type ObserveAge,
  type ObserveLookup,
  type ProfileByKind,
  type Resource,
  type Reviews,
  type ReviewsQuery,
  reviewSorts,
} from './lookup.ts';
import { LookupError } from './lookup-error.ts';
import { memoryKeyv } from './memory-keyv.ts';
import { createSource } from './request.ts';

/** Identical requests past the cache share a response for this time, so that a repeated command sends no other one (ms). */
const freshForMs = 5 * second;
const maxFreshUsers = 1_000;
/** The default limit of reviews of the service. */
const defaultReviews = 10;

/**
 * Creates the client of the lookup API for one listing.
 * @category Lookup
 * @throws InvalidConfigError `invalid_options` for unknown options and options of another type
 * @throws TallyhookError `lookup_kind_missing`, `lookup_kind_unknown`, `lookup_base_url_missing`,
 * `lookup_base_url_malformed`, `lookup_key_missing`, or `lookup_key_malformed` when the key cannot be sent in a header
 * @example
 * ```ts
 * import { createLookup, LookupError } from 'tallyhook/client';
 *
 * const key = process.env['LOOKUP_SERVER_KEY'] ?? '';
 * const lookup = createLookup({ kind: 'server', baseUrl: 'https://list.example/api/v1', key });
 * try {
 *   const { value, stale } = await lookup.voteStatus('80351110224678912');
 *   console.log(value.canVote, value.secondsUntilVote, stale);
 * } catch (error) {
 *   if (error instanceof LookupError) console.error(error.code, error.hint, error.retryAt);
 * }
 * ```
 */
export function createLookup<Kind extends ListingKind>(options: LookupOptions<Kind>): LookupClient<Kind> {
  checkLookupOptions(options);
  const { kind, key, baseUrl } = options;
  const clock = options.clock ?? systemClock;
  const timeoutMs = options.timeoutMs ?? 5 * second;
  const observe = options.observe ?? (() => {});
  const observeAge = options.observeAge ?? (() => {});
  const { log } = adaptLogger(options.log ?? silentLogger, [key]);
  const budgetStore = options.budget ?? memoryBudgetStore();
  const budget = createBudget({ log: budgetStore, keyId: fingerprint(key), timeoutMs, clock });
  const http = createHttp({ baseUrl, key, clock });
  const { cacheOf, errors, keyStatus } = createSource({
    ...{ http, budget, clock, timeoutMs, log, observe, keyv: options.cache ?? memoryKeyv() },
    keyPrefix: fingerprint(`${baseUrl} ${key}`),
  });

  const cooldownMs = options.cooldownMs ?? 12 * hour;
  const profile = cacheOf<ProfileByKind[Kind]>(profileEndpoint[kind]);
  const votes = cacheOf(votesEndpoint);
  const reviews = cacheOf(reviewsEndpoint);
  const voteStatus = withLedger({
    votes: (userId, signal) => votes.read(userId, { signal }),
    clock,
    observe,
    cooldownMs,
    lastVote: async (userId) => {
      try {
        const at = (await options.lastVote?.(userId)) ?? null;
        return at === null ? null : { at, nextVoteAt: at + cooldownMs };
      } catch (error) {
        errors.ledgerFailed(error);
        return null;
      }
    },
  });

  /** When the service was last asked past the cache (ms since the epoch), by user. */
  const freshSince = new BoundedMap<number>(maxFreshUsers);
  function freshVoteStatus(userId: string, signal?: AbortSignal): Promise<CachedValue<CachedVoteStatus>> {
    const now = clock.now();
    const last = freshSince.get(userId) ?? Number.NEGATIVE_INFINITY;
    const notBefore = now >= last && now < last + freshForMs ? last : now;
    freshSince.set(userId, notBefore);
    return votes.read(userId, { notBefore, servesStale: false, signal });
  }

  return {
    kind,
    profile: ({ signal } = {}) => abortable(signal, () => withAge('profile', profile.read(kind, { signal }))),
    async voteStatus(userId, { fresh = false, signal } = {}) {
      if (!isSnowflake(userId)) throw new LookupError('lookup_bad_parameter', 'A user id must have 1 to 20 digits.');
      const read = fresh ? freshVoteStatus : voteStatus;
      const status = await abortable(signal, () => withAge('votes', read(userId, signal)));
      return { ...status, value: withSecondsLeft(status.value, clock.now()) };
    },
    async reviews({ sort = 'newest', limit = defaultReviews, signal }: ReviewsQuery = {}) {
      if (kind === 'bot') {
        throw new LookupError('lookup_wrong_key_type', 'Reviews are available to the key of a server only.', {
          hint: 'Use a lookup client of kind "server", with the API key of the server.',
        });
      }
      if (!reviewSorts.includes(sort)) {
        throw new LookupError('lookup_bad_parameter', 'The sort must be newest, highest or lowest.');
      }
      if (!Number.isInteger(limit) || limit < 1 || limit > maxReviews) {
        throw new LookupError('lookup_bad_parameter', `The limit must be a whole number from 1 to ${maxReviews}.`);
      }
      const all = await abortable(signal, () => withAge('reviews', reviews.read(sort, { signal })));
      return { ...all, value: firstReviews(all.value, limit) };
    },
    cached: {
      profile: async () => (await profile.lastKnown(kind))?.value ?? null,
      async voteStatus(userId) {
        const entry = await votes.lastKnown(userId);
        return entry === null ? null : voteStatusAt(entry, clock.now(), cooldownMs);
      },
    },
    keyStatus,
  };

  async function withAge<Value>(resource: Resource, lookup: Promise<CachedValue<Value>>): Promise<CachedValue<Value>> {
    const result = await lookup;
    observeAge(resource, Math.max(0, clock.now() - result.asOf));
    return result;
  }
}

async function abortable<Value>(signal: AbortSignal | undefined, lookup: () => Promise<Value>): Promise<Value> {
  if (signal === undefined) return lookup();
  if (signal instanceof AbortSignal) return untilAborted(signal, lookup);
  throw new LookupError('lookup_bad_parameter', 'The signal must be an AbortSignal.');
}

/** The first reviews; the same object again for the same reviews, if it is all of them. */
function firstReviews(all: CachedReviews, limit: number): Reviews {
  return limit >= all.reviews.length ? allReviews(all) : { ...all, reviews: all.reviews.slice(0, limit), shown: limit };
}

const allReviews = memoizeOne((all: CachedReviews): Reviews => ({ ...all, shown: all.reviews.length }));

/** The options of a lookup client. All but the first three have a default. @category Lookup */
export interface LookupOptions<Kind extends ListingKind = ListingKind> {
  /** The kind of listing that the key belongs to. Decides the available endpoints and the type of the profile. */
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
 * Checks the options of a lookup client, also unknown ones. Callers without a type checker, or with an unset environment
 * variable, would see a failed request later. The errors never contain a value: the key is a secret, and a URL may have one.
 */
function checkLookupOptions(options: LookupOptions): void {
  checkOptions('createLookup', options, lookupOptions, ([option]) =>
    option === undefined ? 'Pass { kind, baseUrl, key }.' : 'Correct it.',
  );
  const { kind, baseUrl, key } = options;
  const choices = listingKinds.map((each) => `"${each}"`).join(' or ');
  const kindHint = `Pass ${choices}, depending on what the API key belongs to.`;
  requireOption('kind', kind, 'lookup_kind_missing', kindHint);
  if (!listingKinds.includes(kind)) throw optionError('lookup_kind_unknown', 'kind', `must be ${choices}`, kindHint);
  const urlHint = 'Pass the http(s) URL of the lookup API, ending in /api/v1, without user, password or query.';
  requireOption('baseUrl', baseUrl, 'lookup_base_url_missing', urlHint);
  if (!isBaseUrl(baseUrl))
    throw optionError('lookup_base_url_malformed', 'baseUrl', 'is not the URL of a lookup API', urlHint);
  const keyHint = "Pass the API key of the listing, from the service's dashboard (edit view, advanced setup).";
  requireOption('key', key, 'lookup_key_missing', keyHint);
}

/** An empty text is a common fallback for an unset environment variable. */
function requireOption(name: string, value: unknown, code: OptionErrorCode, hint: string): void {
  if (value === undefined || value === null || value === '') throw optionError(code, name, 'is not set', hint);
}

type OptionErrorCode = ConstructorParameters<typeof TallyhookError>[0];

function optionError(code: OptionErrorCode, name: string, problem: string, hint: string): TallyhookError {
  return new TallyhookError(code, `The option "${name}" of the lookup client ${problem}.`, { hint });
}

/** Excludes URLs with a user or password: `fetch` rejects them with an error that contains the URL. */
function isBaseUrl(baseUrl: unknown): boolean {
  if (typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(baseUrl);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return isHttp && `${username}${password}${search}${hash}` === '' && /\/api\/v1\/*$/.test(pathname);
}

/** At least the timeout of every client that shares the budget (ms): the budget's proof needs the longest one. */
const maxTimeoutMs = 20 * second;

/**
 * Requests the profile that a key belongs to, without the cache, for a current result. The request is counted in the
 * budget.
 * @param options.timeoutMs at most 20,000 ms
 * @throws LookupError
 * @throws TallyhookError `lookup_key_malformed`
 */
export async function fetchProfileOfKey(options: {
  kind: ListingKind;
  baseUrl: string;
  key: string;
  budget: BudgetStore;
  clock: Clock;
  timeoutMs: number;
}): Promise<ProfileByKind[ListingKind]> {
  const { kind, key, clock } = options;
  const http = createHttp(options);
  const deadline = clock.monotonic() + options.timeoutMs;
  const budget = createBudget({ log: options.budget, keyId: fingerprint(key), timeoutMs: maxTimeoutMs, clock });
  await budget.acquire();
  const endpoint = profileEndpoint[kind];
  const response = await http.get(endpoint.request(kind), deadline);
  const profile = endpoint.parse(response, clock.now(), kind);
  if (!profile.success) {
    throw new LookupError('lookup_wrong_shape', `The profile of the ${kind} does not match the document.`);
  }
  return profile.data;
}
