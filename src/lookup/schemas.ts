import { z } from 'zod';

/*
 * Our own shapes as schemas, and the types that follow from them. They are strict, because they check what an older version may have left
 * in the cache. What the service sends is read tolerantly by `wire.ts`. Fields are described at the types, since comments on properties of
 * a schema do not reach the declarations of the package.
 */

/** A count the service may leave out or get wrong; null then. */
const count = z.number().nonnegative().nullable();
/** ms since the epoch. */
const moment = z.number().nullable();
const texts = z.array(z.string()).readonly();
/** The document does not show the type of the elements. */
const list = z.array(z.unknown()).readonly();

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
  features: list,
  emojis: list,
  channelCount: count,
  roleCount: count,
  rules: list,
  url: z.string().nullable(),
});

/**
 * The profile of a listed server (document, section 2.2). Where the service leaves a field out it is null, and a list is empty. The owner's
 * id is deliberately not among the fields.
 * - `votes`: ever; `monthlyVotes`: in the current month
 * - `members`, and of these `online`
 * - `features`, `emojis`, `rules`: as the service sends them; the document does not show the type of their elements
 * - `url`: the public page, http or https only
 */
export type ServerProfile = Readonly<z.infer<typeof serverProfileSchema>>;

export const botProfileSchema = z.object({
  kind: z.literal('bot'),
  id: z.string().nullable(),
  name: z.string(),
  description: z.string().nullable(),
  votes: count,
  tags: texts,
  servers: count,
  shards: count,
  url: z.string().nullable(),
});

/**
 * The profile of a listed bot (document, section 2.3). Where the service leaves a field out it is null, and a list is empty.
 * - `votes`: ever
 * - `servers`: that the bot is in
 * - `url`: the public page, http or https only
 */
export type BotProfile = Readonly<z.infer<typeof botProfileSchema>>;

/** The profile that a key of each kind serves. */
export interface ProfileByKind {
  readonly server: ServerProfile;
  readonly bot: BotProfile;
}

export const voteStatusSchema = z.object({
  canVote: z.boolean(),
  lastVoteAt: moment,
  nextVoteAt: moment,
});

/**
 * A vote status without the seconds, which would be wrong a second later (ms since the epoch).
 * - `lastVoteAt`: null when there was no vote or it is not known
 * - `nextVoteAt`: when the running cooldown ends; null when none runs or its end is not known
 */
export type CachedVoteStatus = Readonly<z.infer<typeof voteStatusSchema>>;

/** Whether a user may vote now (document, section 2.4). */
export interface VoteStatus extends CachedVoteStatus {
  /**
   * Whole seconds until the cooldown ends, rounded up, at the moment of this answer and however old the rest of it is: 0 exactly when the
   * user may vote, null when the end of the cooldown is not known.
   */
  readonly secondsUntilVote: number | null;
}

/** The orders in which the service lists reviews (document, section 4). */
export const reviewSorts = ['newest', 'highest', 'lowest'] as const;
export type ReviewSort = (typeof reviewSorts)[number];

const review = z.object({
  username: z.string().nullable(),
  rating: z.number().nullable(),
  comment: z.string(),
  createdAt: moment,
});

/**
 * One review (document, section 2.5).
 * - `username`: the author's display name; null when the service names nobody
 * - `rating`: as the service says it; its range is not documented
 * - `comment`: may be empty
 * - `createdAt`: ms since the epoch
 */
export type Review = Readonly<z.infer<typeof review>>;

export const reviewsSchema = z.object({
  reviews: z.array(review).readonly(),
  total: z.number().nonnegative(),
});

/**
 * As many reviews as the service gives at once, whatever limit was asked for.
 * - `total`: how many the server has in all; at least as many as are here
 */
export type CachedReviews = Readonly<z.infer<typeof reviewsSchema>>;

/** The reviews of a server (document, section 2.5), in the requested order and up to the requested limit. */
export interface Reviews extends CachedReviews {
  /** How many reviews are here. */
  readonly shown: number;
}
