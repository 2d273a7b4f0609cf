import { z } from 'zod';

/**
 * The shapes on the wire (document, section 2). The code answers in them, the OpenAPI document is made of them, and the
 * conformance suite checks against them.
 */

/**
 * Marks what the document leaves open: the `type` of a value, or even its `presence`. It stands in the OpenAPI document, and the
 * conformance suite asks another service for no more than the document does.
 */
const notShown = (what: 'type' | 'presence') => ({ 'x-not-shown': what });

const digits = z.string().regex(/^\d{1,20}$/);
const count = z.int().min(0);
const moment = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601 UTC with milliseconds' });

/** Document, section 2.2; the element types that it does not show are this service's choice. */
export const serverProfileResource = z.object({
  id: digits,
  name: z.string(),
  description: z.string(),
  votes: count.meta({ description: 'Total votes' }),
  monthlyVotes: count.meta({ description: 'Votes in the current calendar month, UTC' }),
  tags: z.array(z.string()),
  category: z.string(),
  ownerDiscordId: digits,
  features: z.array(z.string().meta(notShown('type'))),
  emojis: z.array(z.object({ id: digits, name: z.string(), animated: z.boolean() }).meta(notShown('type'))),
  channelCount: count,
  roleCount: count,
  rules: z.array(z.string().meta(notShown('type'))),
  url: z.url(),
  memberCount: count.meta({
    description: 'The same as stats.members, for clients that read it here',
    ...notShown('presence'),
  }),
  stats: z.object({ members: count, online: count }),
});

/** Document, section 2.3. */
export const botProfileResource = z.object({
  id: digits,
  name: z.string(),
  description: z.string(),
  votes: count.meta({ description: 'Total votes' }),
  tags: z.array(z.string()),
  url: z.url(),
  stats: z.object({ servers: count, shards: count }),
});

const dateOfVote = { description: 'Null for a user who has never voted', ...notShown('presence') };

/** Document, section 2.4; null where the user has never voted. */
export const voteStatusResource = z.object({
  canVote: z.boolean(),
  nextVoteDate: moment.nullable().meta(dateOfVote),
  lastVoteDate: moment.nullable().meta(dateOfVote),
  secondsUntilVote: count.meta({ description: 'Rounded up; 0 exactly when canVote is true', ...notShown('presence') }),
});

/** Document, section 2.5. */
export const reviewResource = z.object({
  username: z.string(),
  rating: z.int().min(1).max(5).meta(notShown('type')),
  comment: z.string(),
  createdAt: moment,
});

export const reviewsMeta = z.object({
  total: count,
  shown: count.meta({ description: 'Number of reviews in this response' }),
});

/** Document, sections 2.1 and 7. */
export const failure = z.object({ success: z.literal(false), error: z.string() });

export const mostReviews = 50;
export const defaultReviews = 10;

/** The path parameter of `GET /votes/:userId`. */
export const votesPath = z.object({
  userId: z
    .string()
    .regex(/^\d{1,20}$/, 'The user id must be numeric: 1 to 20 digits.')
    .meta({ description: 'User identifier' }),
});

/** A whole number as a query spells it. */
const reviewLimit = z.codec(
  z.string().regex(/^0*[1-9]\d*$/, 'The limit must be a whole number of 1 or more.'),
  z.int().min(1),
  { decode: (digits) => Math.min(Number(digits), mostReviews), encode: String },
);

/** The query of `GET /reviews`. */
export const reviewsQuery = z.object({
  limit: reviewLimit.default(defaultReviews).meta({
    description: `Maximum number of reviews returned; above ${mostReviews} it means ${mostReviews}`,
  }),
  sort: z
    .enum(['newest', 'highest', 'lowest'], { error: 'The sort must be one of newest, highest, lowest.' })
    .default('newest'),
});

export type ServerProfileResource = z.infer<typeof serverProfileResource>;
export type BotProfileResource = z.infer<typeof botProfileResource>;
export type VoteStatusResource = z.infer<typeof voteStatusResource>;
export type ReviewResource = z.infer<typeof reviewResource>;
