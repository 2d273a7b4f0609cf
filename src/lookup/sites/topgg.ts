import { hour, minute } from '@tallyhook/platform/durations';
import { objectOf, parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import {
  discordId,
  flag,
  type HistoryPage,
  type SiteApi,
  type SiteProfile,
  shownNumber,
  shownText,
  time,
  votesOfMember,
} from './site-api.ts';

const cooldownMs = 12 * hour;
/** The limit is documented for some paths; a key that exceeds it is rejected for an hour. */
const limits = { limit: { requests: 60, periodMs: minute }, blockMs: hour };

/** Sites state at most 2. */
const maxWeight = 4;

const projectUrl = 'https://top.gg/api/v1/projects/@me';
const votesUrl = `${projectUrl}/votes`;

const vote = z.object({
  created_at: time,
  expires_at: time,
  weight: z
    .number()
    .positive()
    .catch(1)
    .transform((weight) => Math.min(weight, maxWeight)),
});

const tags = z.array(z.string()).catch([]);

/** A score without reviews is no score. */
function ratingOf(score: number | null | undefined, count: number | null | undefined): SiteProfile['rating'] {
  return score && count ? { score, count } : null;
}

const project = z
  .object({
    name: shownText,
    headline: shownText,
    tags,
    ...{ votes: shownNumber, votes_total: shownNumber, review_score: shownNumber, review_count: shownNumber },
  })
  .transform(
    ({ name, headline, ...told }): SiteProfile => ({
      ...{ name, description: headline || null, tags: told.tags, servers: null },
      votes: told.votes_total ?? null,
      monthlyVotes: told.votes ?? null,
      rating: ratingOf(told.review_score, told.review_count),
    }),
  );

/** The key belongs to one bot or server, so the request does not name it. */
const version1: SiteApi = {
  kinds: ['bot', 'server'],
  // Without `source`, the ID would be one of top.gg.
  check: `${votesUrl}/{user}?source=discord`,
  authorization: 'Bearer ',
  ...limits,
  notFoundCoversMs: cooldownMs,
  response: (context) =>
    vote.transform(({ created_at: at, expires_at: nextVoteAt, weight }) =>
      votesOfMember({ voted: true, at, nextVoteAt, weight }, cooldownMs, context),
    ),
  profile: { url: projectUrl, response: project },
  history: {
    first: (since) => `${votesUrl}?startDate=${new Date(since).toISOString()}`,
    page: z.object({ data: z.array(z.unknown()), cursor: z.string().min(1).nullish() }).transform(
      ({ data, cursor }): HistoryPage => ({
        votes: data.flatMap((each) => pastVote.safeParse(each).data ?? []),
        next: cursor && data.length > 0 ? `${votesUrl}?${new URLSearchParams({ cursor }).toString()}` : null,
      }),
    ),
  },
};

/** `user_id` is top.gg's own. */
const pastVote = vote
  .extend({ platform_id: discordId })
  .transform(({ platform_id: userId, created_at: at, expires_at: nextVoteAt, weight }) => ({
    userId,
    at,
    nextVoteAt,
    weight,
  }));

const reviews = z.object({ averageScore: shownNumber, count: shownNumber }).nullish().catch(null);

const botOfVersion0 = z
  .object({
    username: shownText,
    shortdesc: shownText,
    tags,
    reviews,
    ...{ points: shownNumber, monthlyPoints: shownNumber, server_count: shownNumber },
  })
  .transform(
    (told): SiteProfile => ({
      ...{ name: told.username, description: told.shortdesc || null, tags: told.tags },
      votes: told.points ?? null,
      monthlyVotes: told.monthlyPoints ?? null,
      servers: told.server_count ?? null,
      rating: ratingOf(told.reviews?.averageScore, told.reviews?.count),
    }),
  );

/** It says neither when the member has voted nor when the next vote is due, and has no history. */
const version0: SiteApi = {
  kinds: ['bot'],
  check: 'https://top.gg/api/bots/{id}/check?userId={user}',
  authorization: '',
  ...limits,
  profile: { url: 'https://top.gg/api/bots/{id}', response: botOfVersion0 },
  response: (context) =>
    z
      .object({ voted: flag })
      .transform(({ voted }) => votesOfMember({ voted, at: null, nextVoteAt: null }, cooldownMs, context)),
};

/** Keys of version 0 are rejected by version 1. */
export const topggFor = (key: string): SiteApi => (isKeyOfVersion0(key) ? version0 : version1);

/** Such a key is a JSON Web Token whose payload has the ID of the bot and `bot: true`, and not the `_t` of newer keys. */
function isKeyOfVersion0(key: string): boolean {
  const payload = objectOf(parseJson(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString()));
  return payload['bot'] === true && !('_t' in payload);
}
