import { day, hour, second } from '@tallyhook/platform/durations';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import { type Endpoint, fiveMinutes, voteStatusFreshUntil } from './cache.ts';
import {
  type BotProfile,
  botProfileSchema,
  type CachedReviews,
  type CachedVoteStatus,
  type ListingKind,
  type ProfileByKind,
  reviewsSchema,
  type ServerProfile,
  serverProfileSchema,
  voteStatusSchema,
} from './lookup.ts';

const server: Endpoint<ProfileByKind['server']> = {
  resource: 'profile',
  request: () => ({ path: 'server', badRequestCause: 'wrong key type' }),
  parse: ({ data }) => serverProfileResponse.safeParse(data),
  schema: serverProfileSchema,
  freshUntil: fiveMinutes,
};

const bot: Endpoint<ProfileByKind['bot']> = {
  resource: 'profile',
  request: () => ({ path: 'bot', badRequestCause: 'wrong key type' }),
  parse: ({ data }) => botProfileResponse.safeParse(data),
  schema: botProfileSchema,
  freshUntil: fiveMinutes,
};

export const profileEndpoint: { readonly [Kind in ListingKind]: Endpoint<ProfileByKind[Kind]> } = { server, bot };

/** The id is the user's id. */
export const votesEndpoint: Endpoint<CachedVoteStatus> = {
  resource: 'votes',
  request: (userId) => ({ path: `votes/${userId}`, badRequestCause: 'bad parameter' }),
  parse: ({ data }, now) => voteStatusResponse(now).safeParse(data),
  schema: voteStatusSchema,
  freshUntil: voteStatusFreshUntil,
};

/** The maximum number of reviews in a response (document, section 8). */
export const maxReviews = 50;

/** The id is the sort order. Always requests the maximum, so one request serves every page and limit. */
export const reviewsEndpoint: Endpoint<CachedReviews> = {
  resource: 'reviews',
  request: (sort) => ({ path: 'reviews', query: { limit: maxReviews, sort }, badRequestCause: 'either' }),
  parse: (response) => reviewsResponse.safeParse(response),
  schema: reviewsSchema,
  freshUntil: fiveMinutes,
};

/*
 * The response schemas (document, section 2) are tolerant: unknown fields are ignored, and an invalid optional field
 * becomes null. Only `name`, `canVote` and the list of reviews are required.
 */

/** The cooldown of the document, section 2.4. */
const documentedCooldownMs = 12 * hour;
/** A longer wait for a vote is not plausible (seconds). */
const maxWaitSeconds = (365 * day) / second;

const text = z.string().trim().min(1).nullable().catch(null);
/** Turns -0, which JSON allows, into 0; it would be shown with its sign. */
const withoutNegativeZero = (number: number) => number + 0;
const rating = z.number().transform(withoutNegativeZero).nullable().catch(null);
const count = z.int().nonnegative().transform(withoutNegativeZero).nullable().catch(null);
const texts = z.array(text).transform(withoutNulls).catch([]);
/** The document does not describe the elements, so they are passed through. */
const unknowns = z.array(z.unknown()).catch([]);
/** A numeric id. A JSON number is accepted only while it is exact. */
const id = z
  .union([z.string().regex(snowflakePattern), z.int().nonnegative().transform(String)])
  .nullable()
  .catch(null);
/** ISO 8601 with a time zone → ms since the epoch. */
const time = z.iso.datetime({ offset: true }).transform(Date.parse).nullable().catch(null);
const httpUrl = z
  .url({ protocol: /^https?$/, normalize: true })
  .nullable()
  .catch(null);

/** The profile of a server. `stats.members` takes precedence over `memberCount` (document, section 2.2). */
export const serverProfileResponse: z.ZodType<ServerProfile> = z
  .object({
    id,
    name: z.string().min(1),
    description: text,
    votes: count,
    monthlyVotes: count,
    tags: texts,
    category: text,
    memberCount: count,
    features: unknowns,
    emojis: unknowns,
    channelCount: count,
    roleCount: count,
    rules: unknowns,
    url: httpUrl,
    stats: z.object({ members: count, online: count }).catch({ members: null, online: null }),
  })
  .transform(({ stats, memberCount, ...profile }) => ({
    kind: 'server' as const,
    ...profile,
    members: stats.members ?? memberCount,
    online: stats.online,
  }));

/** The profile of a bot (document, section 2.3). */
export const botProfileResponse: z.ZodType<BotProfile> = z
  .object({
    id,
    name: z.string().min(1),
    description: text,
    votes: count,
    tags: texts,
    url: httpUrl,
    stats: z.object({ servers: count, shards: count }).catch({ servers: null, shards: null }),
  })
  .transform(({ stats, ...profile }) => ({ kind: 'bot' as const, ...profile, ...stats }));

const voteStatus = z.object({
  canVote: z.boolean(),
  nextVoteDate: time,
  lastVoteDate: time,
  secondsUntilVote: z.number().positive().max(maxWaitSeconds).nullable().catch(null),
});

/**
 * A vote status (document, section 2.4) received at `now` (ms since the epoch). The end of a running cooldown is the
 * first of these that lies in the future: the date of the next vote, the seconds until it, the last vote plus the
 * documented cooldown.
 */
export function voteStatusResponse(now: number): z.ZodType<CachedVoteStatus> {
  return voteStatus.transform(({ canVote, nextVoteDate, lastVoteDate, secondsUntilVote }) => {
    const cooldownEnds = [
      nextVoteDate,
      secondsUntilVote === null ? null : Math.round(now + secondsUntilVote * second),
      lastVoteDate === null ? null : lastVoteDate + documentedCooldownMs,
    ];
    const nextVoteAt = canVote ? null : (withoutNulls(cooldownEnds).find((end) => end > now) ?? null);
    return { canVote, lastVoteAt: lastVoteDate, nextVoteAt };
  });
}

const review = z.object({ username: text, rating, comment: z.string().catch(''), createdAt: time });

/** The list and its `meta` (document, section 2.5). Elements that are not reviews are omitted. */
export const reviewsResponse: z.ZodType<CachedReviews, { data: unknown; meta: unknown }> = z
  .object({
    data: z.array(review.nullable().catch(null)).transform(withoutNulls),
    meta: z.object({ total: count }).catch({ total: null }),
  })
  .transform(({ data, meta }) => ({ reviews: data, total: Math.max(meta.total ?? 0, data.length) }));

function withoutNulls<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}
