import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { z } from 'zod';

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

/*
 * The schemas of lookup values and their types. They are strict, because they validate cache entries that an older
 * version may have written. `endpoints.ts` has the tolerant schemas of the responses. Fields are documented at the
 * types, since comments on properties of a schema are missing in the package's declarations.
 */

/** Null if the service did not send a valid count. */
const count = z.number().nonnegative().nullable();
/** The rating on another site. */
const rating = z.object({ score: z.number(), count: count }).readonly().optional();
/** ms since the epoch. */
const time = z.number().nullable();
const texts = z.array(z.string()).readonly();
/** The document does not describe the elements. */
const unknowns = z.array(z.unknown()).readonly();

export const serverProfileSchema = z.object({
  kind: z.literal('server'),
  id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  votes: count,
  monthlyVotes: count,
  tags: texts,
  category: z.string().nullable(),
  members: count,
  online: count,
  features: unknowns,
  emojis: unknowns,
  channelCount: count,
  roleCount: count,
  rules: unknowns,
  rating,
  url: z.string().nullable(),
});

/**
 * The profile of a listed server. A field that the service omits is null, a list is empty.
 * Deliberately without the owner's id.
 * - `votes`: in total; `monthlyVotes`: in the current month
 * - `members`: in total; `online`: the members who are online
 * - `features`, `emojis`, `rules`: as sent by the service, which does not document their elements
 * - `rating`: the mean of the reviews and their number, of a site that tells it; missing for the service
 * - `url`: the public page, http or https only
 * @category Lookup
 */
export type ServerProfile = Readonly<z.infer<typeof serverProfileSchema>>;

export const botProfileSchema = z.object({
  kind: z.literal('bot'),
  id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  votes: count,
  monthlyVotes: count.optional(),
  tags: texts,
  servers: count,
  shards: count,
  rating,
  url: z.string().nullable(),
});

/**
 * The profile of a listed bot. A field that the service omits is null, a list is empty.
 * - `votes`: in total
 * - `monthlyVotes`, `rating`: as those of a server, of a site that tells it; missing for the service
 * - `servers`: the number of servers with the bot
 * - `url`: the public page, http or https only
 * @category Lookup
 */
export type BotProfile = Readonly<z.infer<typeof botProfileSchema>>;

/** The type of the profile for a key of each kind. @category Lookup */
export interface ProfileByKind {
  readonly server: ServerProfile;
  readonly bot: BotProfile;
}

export const voteStatusSchema = z.object({ canVote: z.boolean(), lastVoteAt: time, nextVoteAt: time });

/**
 * A vote status in absolute times (ms since the epoch), which can be cached.
 * - `lastVoteAt`: null if there was no vote or its time is unknown
 * - `nextVoteAt`: the end of the running cooldown; null if none runs or its end is unknown
 * @category Lookup
 */
export type CachedVoteStatus = Readonly<z.infer<typeof voteStatusSchema>>;

/** The answer to whether a user may vote now. @category Lookup */
export interface VoteStatus extends CachedVoteStatus {
  /**
   * Whole seconds until the cooldown ends, rounded up, calculated for the time of the call even if the status is
   * cached. 0 exactly if the user may vote, null if the end of the cooldown is unknown.
   */
  readonly secondsUntilVote: number | null;
}

/** The sort orders of reviews. */
export const reviewSorts = ['newest', 'highest', 'lowest'] as const;
/** The order of reviews. @category Lookup */
export type ReviewSort = (typeof reviewSorts)[number];

const review = z.object({
  username: z.string().nullable(),
  rating: z.number().nullable(),
  comment: z.string(),
  createdAt: time,
});

/**
 * One review.
 * - `username`: the author's display name; null if the service does not send it
 * - `rating`: as sent by the service; its range is not documented
 * - `comment`: may be empty
 * - `createdAt`: ms since the epoch
 * @category Lookup
 */
export type Review = Readonly<z.infer<typeof review>>;

export const reviewsSchema = z.object({ reviews: z.array(review).readonly(), total: z.number().nonnegative() });

/**
 * The maximum number of reviews of one response, whatever limit was requested.
 * - `total`: how many reviews the server has; at least the length of `reviews`
 * @category Lookup
 */
export type CachedReviews = Readonly<z.infer<typeof reviewsSchema>>;

/** The reviews of a server, in the requested order and up to the requested limit. @category Lookup */
export interface Reviews extends CachedReviews {
  /** The length of `reviews`. */
  readonly shown: number;
}
