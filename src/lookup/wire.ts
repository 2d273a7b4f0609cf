import { z } from 'zod';
import { day, hour, second } from '../platform/durations.ts';
import type { BotProfile, CachedReviews, CachedVoteStatus, ServerProfile } from './schemas.ts';

/**
 * The service's shapes (document, section 2), read tolerantly into our own words: unknown fields are normal, and an odd field that only
 * decorates becomes null. `name`, `canVote` and the list of reviews are what an answer is about; without them it is none.
 */

/** The cooldown of the document, section 2.4. */
const documentedCooldown = 12 * hour;
/** More seconds than these are no time to wait for a vote. */
const longestWait = (365 * day) / second;

const text = z.string().trim().min(1).nullable().catch(null);
/** JSON knows a minus zero, and it would be shown with its sign. */
const plain = (number: number) => number + 0;
const rating = z.number().transform(plain).nullable().catch(null);
const count = z.int().nonnegative().transform(plain).nullable().catch(null);
const words = z.array(text).transform(withoutNulls).catch([]);
/** The document does not show what its elements are, so they are passed on as they come. */
const list = z.array(z.unknown()).catch([]);
/** A numeric identifier; a number is read as one only while it still has all its digits. */
const id = z
  .union([z.string().regex(/^\d{1,20}$/), z.int().nonnegative().transform(String)])
  .nullable()
  .catch(null);
/** ISO 8601 with a zone → ms since the epoch. */
const moment = z.iso.datetime({ offset: true }).transform(Date.parse).nullable().catch(null);
const page = z
  .url({ protocol: /^https?$/, normalize: true })
  .nullable()
  .catch(null);

/** Of the two counts of members `stats.members` comes first (document, section 2.2). */
export const serverProfileResponse: z.ZodType<ServerProfile> = z
  .object({
    id,
    name: z.string().min(1),
    description: text,
    votes: count,
    monthlyVotes: count,
    tags: words,
    category: text,
    memberCount: count,
    features: list,
    emojis: list,
    channelCount: count,
    roleCount: count,
    rules: list,
    url: page,
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
    tags: words,
    url: page,
    stats: z.object({ servers: count, shards: count }).catch({ servers: null, shards: null }),
  })
  .transform(({ stats, ...profile }) => ({ kind: 'bot' as const, ...profile, ...stats }));

const voteStatus = z.object({
  canVote: z.boolean(),
  nextVoteDate: moment,
  lastVoteDate: moment,
  secondsUntilVote: z.number().positive().max(longestWait).nullable().catch(null),
});

/**
 * A vote status (document, section 2.4), as it stands at `now` (ms since the epoch). The end of a running cooldown is
 * the date that the service names, else what the seconds say, else the last vote and the documented cooldown; what is
 * over already cannot be the end of a running one.
 */
export function voteStatusResponse(now: number): z.ZodType<CachedVoteStatus> {
  return voteStatus.transform(({ canVote, nextVoteDate, lastVoteDate, secondsUntilVote }) => {
    const ends = [
      nextVoteDate,
      secondsUntilVote === null ? null : Math.round(now + secondsUntilVote * second),
      lastVoteDate === null ? null : lastVoteDate + documentedCooldown,
    ];
    const nextVoteAt = canVote ? null : (withoutNulls(ends).find((end) => end > now) ?? null);
    return { canVote, lastVoteAt: lastVoteDate, nextVoteAt };
  });
}

const review = z.object({
  username: text,
  rating,
  comment: z.string().catch(''),
  createdAt: moment,
});

/** The list and the `meta` beside it (document, section 2.5). What is in the list but no review at all is left out. */
export const reviewsResponse: z.ZodType<CachedReviews, { data: unknown; meta: unknown }> = z
  .object({
    data: z.array(review.nullable().catch(null)).transform(withoutNulls),
    meta: z.object({ total: count }).catch({ total: null }),
  })
  .transform(({ data, meta }) => ({ reviews: data, total: Math.max(meta.total ?? 0, data.length) }));

function withoutNulls<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}
