import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import type { CachedVoteStatus, ProfileByKind, ReviewSort, Reviews, VoteStatus } from './schemas.ts';

/** The kinds of listings. The key belongs to one kind, which decides the available endpoints. */
export const listingKinds = ['server', 'bot'] as const;
/** The kinds of listings, and of what API keys belong to. @category Lookup */
export type ListingKind = (typeof listingKinds)[number];

/** A value from the service, with its age. @category Lookup */
export interface CachedValue<Value> {
  readonly value: Value;
  /** When the service sent it (ms since the epoch). Only `secondsUntilVote` is calculated for the time of the call. */
  readonly asOf: number;
  /** True if the service did not respond and this is the last known value. */
  readonly stale: boolean;
}

/** How a lookup is ended early. @category Lookup */
export interface AbortOptions {
  /**
   * Aborted, the lookup rejects at once with the signal's reason, an AbortError by default. The request to the service
   * is cancelled unless other lookups wait for it.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The parameters of `GET /reviews`, with the defaults of the service. @category Lookup */
export interface ReviewsQuery extends AbortOptions {
  /** `newest` by default. */
  readonly sort?: ReviewSort | undefined;
  /** A whole number from 1 to 50, 10 by default. */
  readonly limit?: number | undefined;
}

/** The status of a key, for the owner. @category Lookup */
export interface KeyStatus {
  /** The service rejected the key (401) in the latest request. */
  readonly keyRefused: boolean;
  /** The latest response does not have the form that the service documents. */
  readonly wrongShape: boolean;
  /** How many requests can be sent now; null if the request log cannot be read. */
  readonly budgetLeft: number | null;
  /** How many can be sent in a period, if that is not 120. */
  readonly budgetLimit?: number;
}

/**
 * The lookup API for the key of one listing, with a cache and a request budget.
 * Every method throws a LookupError when the service fails and the cache has no value, and the reason of its signal.
 * @typeParam Kind what the key belongs to; decides the type of the profile
 * @category Lookup
 */
export interface Lookup<Kind extends ListingKind = ListingKind> {
  readonly kind: Kind;
  /**
   * `GET /server` or `GET /bot`, depending on the kind.
   * @param options.complete whether to wait for the API of another site, which may tell counts; by default, what it has
   * stated before is used. The service is waited for in any case
   */
  profile(options?: AbortOptions & { readonly complete?: boolean }): Promise<CachedValue<ProfileByKind[Kind]>>;
  /**
   * `GET /votes/:userId`.
   * @param options.fresh whether to ask the service itself, without the cache and the ledger; identical requests within
   * five seconds share a response. Default: false
   * @throws LookupError `lookup_bad_parameter` for an id that is not 1 to 20 digits
   */
  voteStatus(userId: string, options?: VoteStatusOptions): Promise<CachedValue<VoteStatus>>;
  /**
   * `GET /reviews`.
   * @throws LookupError `lookup_wrong_key_type` for the listing of a bot
   * @throws LookupError `lookup_bad_parameter` for a sort that is not documented, or a limit out of range
   */
  reviews(query?: ReviewsQuery): Promise<CachedValue<Reviews>>;
  /** Sends no request to the service. */
  readonly cached: CachedLookups<Kind>;
}

/**
 * The last known values, also if they have expired, without a request. Null if the cache has none, or cannot be read;
 * never rejects.
 * @category Lookup
 */
export interface CachedLookups<Kind extends ListingKind = ListingKind> {
  profile(): Promise<ProfileByKind[Kind] | null>;
  /** Calculated for the time of the call: a cooldown that has ended since is over. Does not read the ledger. */
  voteStatus(userId: string): Promise<CachedVoteStatus | null>;
}

/** How the status of votes is looked up. @category Lookup */
export interface VoteStatusOptions extends AbortOptions {
  readonly fresh?: boolean;
}

/** A lookup client with the status of its key. @category Lookup */
export interface LookupClient<Kind extends ListingKind = ListingKind> extends Lookup<Kind> {
  /** Sends no request and never rejects. */
  keyStatus(): Promise<KeyStatus>;
}

/** The requested data: `GET /server` or `/bot`, `/votes/:userId`, `/reviews`. @category Lookup */
export type Resource = 'profile' | 'votes' | 'reviews';

/**
 * An event of a lookup, for metrics:
 * - `fact`: answered from the ledger alone
 * - `hit`: answered from the cache
 * - `miss`: in neither, so a request is needed
 * - `joined`: joined an identical lookup in progress
 * - `stale`: answered with an expired cache entry
 * - `asked`: a request was sent to the service
 * - `failed`: the service or the budget refused the request
 * @category Lookup
 */
export type LookupEvent =
  | { readonly event: 'fact' | 'hit' | 'miss' | 'joined' | 'stale' | 'asked'; readonly resource: Resource }
  | { readonly event: 'failed'; readonly resource: Resource; readonly code: LookupErrorCode };

/** Called synchronously during a lookup, so it must not throw. @category Lookup */
export type ObserveLookup = (event: LookupEvent) => void;

/**
 * Called for every returned value with its age: the time since the service, or the ledger, reported it (ms).
 * @category Lookup
 */
export type ObserveAge = (resource: Resource, ageMs: number) => void;
