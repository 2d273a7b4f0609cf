import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import { maxServers, maxShards, type ServiceListingKind } from '../listing/listing.ts';

/**
 * The schemas of requests and responses (document, section 2). They type the handlers and generate the OpenAPI
 * document, which the conformance suite validates against. A schema with an `id` is a named component of that document.
 */

/**
 * Marks what the document does not define: the `type` of a value, or even its `presence`. The mark is part of the
 * OpenAPI document, and the conformance suite does not require more of another service than the document does.
 */
const undocumented = (aspect: 'type' | 'presence') => ({ 'x-not-shown': aspect });

const snowflake = z.string().regex(snowflakePattern);
const count = z.int().min(0);
const timestamp = z.iso.datetime({ precision: 3 }).meta({ description: 'ISO 8601 UTC with milliseconds' });

/** Document, section 2.2. It does not define all element types; this service chose them. */
export const serverProfileResource = z
  .object({
    id: snowflake,
    name: z.string(),
    description: z.string(),
    votes: count.meta({ description: 'Total votes' }),
    monthlyVotes: count.meta({ description: 'Votes in the current calendar month, UTC' }),
    tags: z.array(z.string()),
    category: z.string(),
    ownerDiscordId: snowflake,
    features: z.array(z.string().meta(undocumented('type'))),
    emojis: z.array(z.object({ id: snowflake, name: z.string(), animated: z.boolean() }).meta(undocumented('type'))),
    channelCount: count,
    roleCount: count,
    rules: z.array(z.string().meta(undocumented('type'))),
    url: z.url(),
    memberCount: count.meta({
      description: 'Always equal to stats.members, for clients that read it here',
      ...undocumented('presence'),
    }),
    stats: z.object({ members: count, online: count }),
  })
  .meta({ id: 'ServerProfile' });

/** Document, section 2.3. */
export const botProfileResource = z
  .object({
    id: snowflake,
    name: z.string(),
    description: z.string(),
    votes: count.meta({ description: 'Total votes' }),
    tags: z.array(z.string()),
    url: z.url(),
    stats: z.object({ servers: count, shards: count }),
  })
  .meta({ id: 'BotProfile' });

const voteDateMeta = { description: 'Null for a user who has never voted', ...undocumented('presence') };

/** Document, section 2.4. The dates are null for a user who has never voted. */
export const voteStatusResource = z
  .object({
    canVote: z.boolean(),
    nextVoteDate: timestamp.nullable().meta(voteDateMeta),
    lastVoteDate: timestamp.nullable().meta(voteDateMeta),
    secondsUntilVote: count.meta({
      description: 'Rounded up; 0 exactly when canVote is true',
      ...undocumented('presence'),
    }),
  })
  .meta({ id: 'VoteStatus' });

/** Document, section 2.5. */
export const reviewResource = z
  .object({
    username: z.string(),
    rating: z.int().min(1).max(5).meta(undocumented('type')),
    comment: z.string(),
    createdAt: timestamp,
  })
  .meta({ id: 'Review' });

export const reviewsMeta = z
  .object({ total: count, shown: count.meta({ description: 'Number of reviews in this response' }) })
  .meta({ id: 'ReviewsMeta' });

/** Document, sections 2.1 and 7. */
export const failureEnvelopeResource = z
  .object({ success: z.literal(false), error: z.string() })
  .meta({ id: 'Failure' });

const maxReviews = 50;
const defaultReviews = 10;

/**
 * The path parameter of `GET /votes/:userId`. The document only requires digits, so more than a Discord id has are the
 * id of a user who has never voted.
 */
export const votesPath = z.object({
  userId: z.string().regex(/^\d+$/, 'The user id must be numeric.').meta({ description: 'User identifier' }),
});

/** A positive integer in a query string. */
const reviewLimit = z.codec(
  z.string().regex(/^0*[1-9]\d*$/, 'The limit must be an integer of 1 or more.'),
  z.int().min(1),
  { decode: (digits) => Math.min(Number(digits), maxReviews), encode: String },
);

export const reviewsQuery = z.object({
  limit: reviewLimit.default(defaultReviews).meta({
    description: `Maximum number of reviews returned; values above ${maxReviews} are reduced to ${maxReviews}`,
    param: { required: false },
    // Without this the OpenAPI document would describe the text of the query instead of the number.
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { type: 'integer', minimum: 1, default: defaultReviews });
    },
  }),
  sort: z
    .enum(['newest', 'highest', 'lowest'], { error: 'The sort must be one of newest, highest, lowest.' })
    .default('newest')
    .meta({ param: { required: false } }),
});

/** One endpoint of the document (section 4), for the router, the OpenAPI document and the conformance suite. */
export interface Operation {
  /** Relative to the base path, in Express's notation. */
  readonly path: string;
  readonly summary: string;
  /** The accepted kinds of keys; others are rejected with 400. */
  readonly keys: readonly ServiceListingKind[];
  readonly pathParameters: z.ZodObject;
  readonly queryParameters: z.ZodObject;
  readonly data: z.ZodType;
  /** Null if the response has no `meta`. */
  readonly meta: z.ZodType | null;
}

const plain = { pathParameters: z.object({}), queryParameters: z.object({}), meta: null };

export const operations = {
  getServer: {
    path: '/server',
    summary: "Profile and stats of the key owner's server",
    keys: ['server'],
    ...plain,
    data: serverProfileResource,
  },
  getBot: {
    path: '/bot',
    summary: "Profile and stats of the key owner's bot",
    keys: ['bot'],
    ...plain,
    data: botProfileResource,
  },
  getVotes: {
    path: '/votes/:userId',
    summary: 'Vote cooldown and eligibility of one user',
    keys: ['server', 'bot'],
    ...plain,
    pathParameters: votesPath,
    data: voteStatusResource,
  },
  getReviews: {
    path: '/reviews',
    summary: "Reviews of the key owner's server",
    keys: ['server'],
    ...plain,
    queryParameters: reviewsQuery,
    data: z.array(reviewResource),
    meta: reviewsMeta,
  },
} as const satisfies Record<string, Operation>;

/** An extension, so not one of the endpoints of the document: a bot sends its numbers. */
export const botStats = {
  path: '/bot/stats',
  summary: "Stores the numbers of the key owner's bot. Not part of the document: an extension of this service",
  keys: ['bot'],
  body: z
    .object(
      {
        serverCount: integerOf('serverCount', 0, maxServers),
        shardCount: integerOf('shardCount', 1, maxShards)
          .optional()
          .meta({ description: 'The stored number remains without it' }),
      },
      { error: 'The body must be a JSON object such as { "serverCount": 1873, "shardCount": 2 }.' },
    )
    .meta({ id: 'NewBotStats' }),
  data: z.object({ serverCount: count, shardCount: count }).meta({ id: 'BotStats' }),
} as const satisfies Pick<Operation, 'path' | 'summary' | 'keys' | 'data'> & { readonly body: z.ZodObject };

function integerOf(field: string, min: number, max: number) {
  const problem = { error: `${field} must be an integer of ${min} to ${max}.` };
  return z.int(problem).min(min, problem).max(max, problem);
}

export type Operations = typeof operations;
export type OperationName = keyof Operations;
