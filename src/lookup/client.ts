import { systemClock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { adaptLogger, silentLogger } from '@tallyhook/platform/logger';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { untilAborted } from '@tallyhook/platform/with-timeout';
import { createBudget, fingerprint, memoryBudgetStore } from './budget.ts';
import { type ReadThrough, readThrough } from './cache.ts';
import { type Endpoint, maxReviews, profileEndpoint, reviewsEndpoint, votesEndpoint } from './endpoints.ts';
import { createErrorReporter } from './error-reporter.ts';
import { requestFresh } from './fresh.ts';
import { voteStatusAt, withLedger, withSecondsLeft } from './freshness.ts';
import { createHttp } from './http.ts';
import type { CachedValue, ListingKind, LookupClient, Resource, ReviewsQuery } from './lookup.ts';
import { LookupError } from './lookup-error.ts';
import { checkLookupOptions, type LookupOptions } from './lookup-options.ts';
import { memoryKeyv } from './memory-keyv.ts';
import { createRequester } from './request.ts';
import { createResponseStore, sharedRequestsIn } from './response-store.ts';
import { type CachedReviews, type ProfileByKind, type Reviews, reviewSorts } from './schemas.ts';

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
  const { log: errorLog } = adaptLogger(options.log ?? silentLogger, [key]);
  const errors = createErrorReporter({ log: errorLog, clock });
  const log = options.budget ?? memoryBudgetStore();
  const budget = createBudget({ log, keyId: fingerprint(key), timeoutMs, clock });
  const http = createHttp({ baseUrl, key, clock });
  const sendRequest = createRequester({ http, budget, clock, timeoutMs, errors, observe });
  const store = createResponseStore({ keyv: options.cache ?? memoryKeyv(), clock, errors });
  const sharedRequests = options.cache === undefined ? null : sharedRequestsIn(options.cache);
  const keyPrefix = fingerprint(`${baseUrl} ${key}`);

  const cooldownMs = options.cooldownMs ?? 12 * hour;
  const profile = cache<ProfileByKind[Kind]>(profileEndpoint[kind]);
  const votes = cache(votesEndpoint);
  const reviews = cache(reviewsEndpoint);
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

  const requestVotes = requestFresh((userId, signal) => sendRequest(votesEndpoint, userId, signal), clock);
  const freshVoteStatus = async (userId: string, signal?: AbortSignal) => ({
    ...(await requestVotes(userId, signal)),
    stale: false,
  });

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
    async keyStatus() {
      return {
        keyRefused: errors.has('lookup_key_refused'),
        wrongShape: errors.has('lookup_wrong_shape'),
        budgetLeft: await budget.remaining().catch(() => null),
      };
    },
  };

  async function withAge<Value>(resource: Resource, lookup: Promise<CachedValue<Value>>): Promise<CachedValue<Value>> {
    const result = await lookup;
    observeAge(resource, Math.max(0, clock.now() - result.asOf));
    return result;
  }

  function cache<Value>(endpoint: Endpoint<Value>): ReadThrough<Value> {
    const { resource, schema, freshUntil } = endpoint;
    const keyOf = (id: string) => `${keyPrefix}:${resource}:${id}`;
    const fetch = (id: string, signal: AbortSignal) => sendRequest(endpoint, id, signal);
    return readThrough({
      resource,
      schema,
      freshUntil,
      fetch,
      keyOf,
      store,
      sharedRequests,
      timeoutMs,
      clock,
      observe,
    });
  }
}

async function abortable<Value>(signal: AbortSignal | undefined, lookup: () => Promise<Value>): Promise<Value> {
  if (signal === undefined) return lookup();
  if (signal instanceof AbortSignal) return untilAborted(signal, lookup);
  throw new LookupError('lookup_bad_parameter', 'The signal must be an AbortSignal.');
}

/** The same object again for the same reviews, if it is all of them. */
function firstReviews(all: CachedReviews, limit: number): Reviews {
  return limit >= all.reviews.length ? allReviews(all) : { ...all, reviews: all.reviews.slice(0, limit), shown: limit };
}

const allReviews = memoizeOne((all: CachedReviews): Reviews => ({ ...all, shown: all.reviews.length }));

export type RotatableClient = ReturnType<typeof createRotatableClient>;

/**
 * A lookup client whose API key can be replaced. Lookups in progress finish with the key that they started with. Throws
 * what `createClient` throws.
 */
export function createRotatableClient(createClient: (key: string) => LookupClient, firstKey: string) {
  let key = firstKey;
  let client = createClient(key);
  return {
    lookup: {
      kind: client.kind,
      profile: (options) => client.profile(options),
      voteStatus: (userId, options) => client.voteStatus(userId, options),
      reviews: (query) => client.reviews(query),
      cached: { profile: () => client.cached.profile(), voteStatus: (userId) => client.cached.voteStatus(userId) },
      keyStatus: () => client.keyStatus(),
    } satisfies LookupClient as LookupClient,
    /**
     * Creates the client for another key, and returns a function that activates it. Throws what the factory throws;
     * nothing changes then.
     */
    prepare(nextKey: string): () => void {
      const nextClient = nextKey === key ? client : createClient(nextKey);
      return () => {
        key = nextKey;
        client = nextClient;
      };
    },
  };
}
