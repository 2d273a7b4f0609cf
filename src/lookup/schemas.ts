import { z } from 'zod';

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
