import type { ProfileByKind, ReviewSort, Reviews, VoteStatus } from './schemas.ts';

/** What a listing is: the key decides it, and with it which endpoints answer (document, section 4). */
export const listingKinds = ['server', 'bot'] as const;
export type ListingKind = (typeof listingKinds)[number];

/** A value from the service and how far it can be trusted. */
export interface CachedValue<Value> {
  readonly value: Value;
  /** When the service said it (ms since the epoch). `secondsUntilVote` alone is of the moment of the answer. */
  readonly asOf: number;
  /** True when the service could not be asked just now and this is the last that was known. */
  readonly stale: boolean;
}

/** The parameters of `GET /reviews` with the defaults of the document (section 4). */
export interface ReviewsQuery {
  /** `newest` by default. */
  readonly sort?: ReviewSort | undefined;
  /** A whole number, 10 by default; what is beyond 1 to 50 (document, section 8) is brought into that range. */
  readonly limit?: number | undefined;
}

/** How it stands with a key, for the owner. */
export interface KeyStatus {
  /** The service does not accept the key (401), and has not since. */
  readonly keyRefused: boolean;
  /** Answers of the service are not what the document describes. */
  readonly wrongShape: boolean;
  /** How many requests could leave now; null when the log of requests cannot be read. */
  readonly budgetLeft: number | null;
}

/**
 * The lookup API as one listing's key sees it, read through the cache and paced by the budget.
 * Every method throws a {@link LookupFailure} when nothing is known and the service does not help.
 * @typeParam Kind what the key belongs to; it decides the type of the profile
 */
export interface Lookup<Kind extends ListingKind = ListingKind> {
  readonly kind: Kind;
  /** `GET /server` or `GET /bot`, whichever the key serves (document, sections 2.2 and 2.3). */
  profile(): Promise<CachedValue<ProfileByKind[Kind]>>;
  /** `GET /votes/:userId` (document, section 2.4). @throws LookupBadParameter for an id that is not 1 to 20 digits */
  voteStatus(userId: string): Promise<CachedValue<VoteStatus>>;
  /**
   * `GET /reviews` (document, section 2.5).
   * @throws LookupWrongKeyType for the listing of a bot
   * @throws LookupBadParameter for a sort that is not documented or a limit that is not a whole number
   */
  reviews(query?: ReviewsQuery): Promise<CachedValue<Reviews>>;
}
