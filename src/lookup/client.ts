import type { Keyv } from 'keyv';
import { pino } from 'pino';
import { type Clock, systemClock } from '../platform/clock.ts';
import { hour, second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type BudgetStore, createBudget, memoryBudgetStore } from './budget.ts';
import { readThrough } from './cache.ts';
import { createThrottledLog } from './complaints.ts';
import { type Endpoint, maxReviews, profileEndpoint, reviewsEndpoint, votesEndpoint } from './endpoints.ts';
import { createErrorReporter } from './error-reporter.ts';
import type { ObserveAge, ObserveLookup, Resource } from './events.ts';
import { createFailureCache } from './failure-cache.ts';
import { LookupBadParameter, LookupWrongKeyType } from './failures.ts';
import { fingerprint } from './fingerprint.ts';
import { createHttp } from './http.ts';
import type { CachedValue, KeyStatus, ListingKind, Lookup, ReviewsQuery } from './lookup.ts';
import { memoryKeyv } from './open-keyv.ts';
import { createRequester } from './request.ts';
import { checkRequiredOptions } from './required-options.ts';
import { createResponseStore } from './response-store.ts';
import { type ProfileByKind, reviewSorts } from './schemas.ts';
import { withSecondsLeft } from './ttl.ts';
import { type LastVote, withLedger } from './with-ledger.ts';

/** What a lookup client is made of. All but the first three have a default. */
export interface LookupOptions<Kind extends ListingKind = ListingKind> {
  /** What the key belongs to. It decides which endpoints answer, and the type of the profile. */
  readonly kind: Kind;
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  /** The listing's API key (document, section 5). */
  readonly key: string;
  /** Where answers are kept; the memory of this process unless given. Several lookups may share one. */
  readonly cache?: Keyv;
  /**
   * Where requests are counted, 120 per minute and key (document, section 8); the memory of this process unless given.
   * Whoever else uses the key must count in the same log.
   */
  readonly budget?: BudgetStore;
  /** The machine's own unless given. */
  readonly clock?: Clock;
  /** Silent unless given. */
  readonly log?: Log;
  /** What the ledger knows of a user's last vote for this listing; nothing unless given. One that rejects is logged. */
  readonly lastVote?: LastVote;
  /** How long a vote blocks the next one (ms); 12 hours unless given (document, section 2.4). */
  readonly cooldownMs?: number;
  /** How long the service may take (ms); 5 seconds unless given. None who counts in the same log may wait longer. */
  readonly timeoutMs?: number;
  /** Told of everything that happens, for metrics. */
  readonly observe?: ObserveLookup;
  /** Told of every answer that is given, for metrics. */
  readonly observeAge?: ObserveAge;
}

/** A lookup that its owner can look into. */
export interface LookupClient<Kind extends ListingKind = ListingKind> extends Lookup<Kind> {
  /** Asks nobody, and never rejects. */
  keyStatus(): Promise<KeyStatus>;
}

/** As many reviews as the service shows by default (document, section 8). */
const defaultReviews = 10;

/**
 * The client of the lookup API for one listing.
 * @throws TallyhookError `lookup_kind_missing`, `lookup_kind_unknown`, `lookup_base_url_missing`, `lookup_base_url_malformed`,
 * `lookup_key_missing`, or `lookup_key_malformed` when no header can carry the key
 */
export function createLookup<Kind extends ListingKind>(options: LookupOptions<Kind>): LookupClient<Kind> {
  checkRequiredOptions(options);
  const { kind, key, baseUrl } = options;
  const clock = options.clock ?? systemClock;
  const timeout = options.timeoutMs ?? 5 * second;
  const observe = options.observe ?? (() => {});
  const observeAge = options.observeAge ?? (() => {});
  const log = options.log ?? pino({ enabled: false });
  const complain = createThrottledLog({ log, clock });
  const faults = createErrorReporter({ log, complain });
  const budget = createBudget({ log: options.budget ?? memoryBudgetStore(), keyId: fingerprint(key), timeout, clock });

  const inquire = createRequester({
    http: createHttp({ baseUrl, key, clock }),
    budget,
    holdOff: createFailureCache(clock),
    clock,
    timeout,
    complain,
    faults,
    observe,
  });
  const storage = createResponseStore({ keyv: options.cache ?? memoryKeyv(), clock, complain });
  const prefix = fingerprint(`${baseUrl} ${key}`);

  const profile = through<ProfileByKind[Kind]>(profileEndpoint[kind]);
  const votes = through(votesEndpoint);
  const reviews = through(reviewsEndpoint);
  const voteStatus = withLedger({
    votes,
    clock,
    observe,
    cooldown: options.cooldownMs ?? 12 * hour,
    lastVote: async (userId) => {
      try {
        return (await options.lastVote?.(userId)) ?? null;
      } catch (thrown) {
        complain('warn', 'ledger_unread', `The ledger cannot be read for a lookup: ${messageOf(thrown)}`);
        return null;
      }
    },
  });

  return {
    kind,
    profile: () => aged('profile', profile(kind)),
    async voteStatus(userId) {
      if (!/^\d{1,20}$/.test(userId)) throw new LookupBadParameter('A user id has 1 to 20 digits.');
      const known = await aged('votes', voteStatus(userId));
      return { ...known, value: withSecondsLeft(known.value, clock.now()) };
    },
    async reviews({ sort = 'newest', limit = defaultReviews }: ReviewsQuery = {}) {
      if (kind === 'bot') {
        throw new LookupWrongKeyType(
          'Reviews are served to the key of a server only.',
          'Ask a lookup client of kind "server", with the API key of the server.',
        );
      }
      if (!reviewSorts.includes(sort)) throw new LookupBadParameter('A sort is one of newest, highest, lowest.');
      if (!Number.isInteger(limit)) throw new LookupBadParameter('A limit is a whole number.');
      const known = await aged('reviews', reviews(sort));
      const shown = known.value.reviews.slice(0, Math.min(Math.max(1, limit), maxReviews));
      return { ...known, value: { ...known.value, reviews: shown, shown: shown.length } };
    },
    async keyStatus() {
      return {
        keyRefused: faults.has('lookup_key_refused'),
        wrongShape: faults.has('lookup_wrong_shape'),
        budgetLeft: await budget.remaining().catch(() => null),
      };
    },
  };

  async function aged<Value>(resource: Resource, coming: Promise<CachedValue<Value>>): Promise<CachedValue<Value>> {
    const known = await coming;
    observeAge(resource, Math.max(0, clock.now() - known.asOf));
    return known;
  }

  function through<Value>(endpoint: Endpoint<Value>): (id: string) => Promise<CachedValue<Value>> {
    const { resource, shape, freshUntil } = endpoint;
    const keyOf = (id: string) => `${prefix}:${resource}:${id}`;
    return readThrough({
      resource,
      shape,
      freshUntil,
      keyOf,
      storage,
      clock,
      observe,
      ask: (id) => inquire(endpoint, id),
    });
  }
}
