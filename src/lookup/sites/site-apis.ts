import { day, hour, minute } from '@tallyhook/platform/durations';
import { objectOf, parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { RequestLimit } from '../budget.ts';
import type { ListingKind } from '../lookup.ts';

/** The API of a listing site: pure data, and pure functions of one response. */
export interface SiteApi {
  /** The kinds of listings of which it says who has voted. */
  readonly kinds: readonly ListingKind[];
  /** Address of the check, with `{kind}` and `{id}` of the listing, and `{user}` unless one is for all members. */
  readonly check: string;
  /** The text before the key in the header `Authorization`; null for a public API, to which no key is sent. */
  readonly authorization: '' | 'Bearer ' | null;
  readonly limit: RequestLimit;
  /** How long a key is rejected after too many requests, if the response does not say (ms). Ten seconds by default. */
  readonly blockMs?: number;
  /** The status 404 means that the member has not voted for this time (ms). Otherwise it is an error. */
  readonly notFoundCoversMs?: number;
  readonly response: (context: ResponseContext) => z.ZodType<VotesAtSite>;
  readonly history?: SiteHistory;
  /** The endpoint for the listing itself; missing if there is none. */
  readonly profile?: { readonly url: string; readonly response: z.ZodType<SiteProfile> };
}

interface ResponseContext {
  /** The member whom the response is about; for all members any text. */
  readonly userId: string;
  /** When it was received (ms since the epoch). */
  readonly now: number;
}

const count = z.number().nonnegative().nullable();

export const siteProfileSchema = z.object({
  name: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()).readonly(),
  votes: count,
  monthlyVotes: count,
  servers: count,
  rating: z.object({ score: z.number(), count }).readonly().nullable(),
});

/** A listing's profile at a site; null where it does not say. `monthlyVotes`: those by which it ranks now. */
export type SiteProfile = Readonly<z.infer<typeof siteProfileSchema>>;

/** The profile of a listing about which the site says nothing. */
export const noProfile: SiteProfile = {
  ...{ name: '', description: null, tags: [], votes: null, monthlyVotes: null, servers: null, rating: null },
};

/** The past votes that a site still knows. */
export interface SiteHistory {
  /** Address of the first page. @param since ms since the epoch */
  first(since: number): string;
  readonly page: z.ZodType<HistoryPage>;
}

export interface HistoryPage {
  readonly votes: readonly SiteVote[];
  /** Address of the next page; null after the last one. */
  readonly next: string | null;
}

/** A vote in the history of a site. */
export interface SiteVote {
  /** The Discord ID of the voter. */
  readonly userId: string;
  /** Ms since the epoch. */
  readonly at: number;
  /** When the site accepts the next vote of the member (ms since the epoch); null if it does not say. */
  readonly nextVoteAt: number | null;
  /** How many votes it counts as on the site, at most 4. */
  readonly weight: number;
}

const memberVote = z.object({
  userId: z.string(),
  /** False for a vote against the listing. */
  voted: z.boolean(),
  at: z.number().nullable(),
  nextVoteAt: z.number().nullable(),
  /** How many votes it counts as on the site; 1 if the site does not say. */
  weight: z.number().default(1),
  /** The times of further votes that the site lists, which need not count any more. */
  otherTimes: z.array(z.number()).readonly().default([]),
});

/** The running vote of one member; times in ms since the epoch, null if the site does not say. */
type MemberVote = Readonly<z.infer<typeof memberVote>>;
type Defaults = 'weight' | 'otherTimes';

export const votesAtSiteSchema = z.object({
  votes: z.array(memberVote).readonly(),
  since: z.number(),
  isComplete: z.boolean(),
});

/**
 * Votes of members at a site. Before `since` (ms since the epoch), nothing is known of members who are not among
 * `votes`. It is complete if such votes do not count any more.
 */
export type VotesAtSite = Readonly<z.infer<typeof votesAtSiteSchema>>;

/** The vote of a member who has not voted, as far as the site says. */
export const noVote: Omit<MemberVote, 'userId'> = {
  voted: false,
  at: null,
  nextVoteAt: null,
  weight: 1,
  otherTimes: [],
};

/** A later end of a cooldown is treated as an error of the site (ms). */
const maxCooldownMs = 8 * day;

/** The response about one member. @param coversMs how long a vote counts, i.e. how far back "no" holds (ms) */
function votesOfMember(
  vote: Omit<MemberVote, 'userId' | Defaults> & Partial<Pick<MemberVote, Defaults>>,
  coversMs: number,
  { userId, now }: ResponseContext,
): VotesAtSite {
  const { voted, at, weight = 1, otherTimes = [] } = vote;
  const isPlausible = vote.nextVoteAt !== null && vote.nextVoteAt <= now + maxCooldownMs;
  const nextVoteAt = isPlausible ? vote.nextVoteAt : null;
  const isKnown = voted || (nextVoteAt !== null && nextVoteAt > now);
  const known = isKnown ? { voted, at, nextVoteAt, weight, otherTimes } : { ...noVote, otherTimes };
  const votes = isKnown || otherTimes.length > 0 ? [{ userId, ...known }] : [];
  return { votes, since: now - coversMs, isComplete: true };
}

/*
 * Schemas of the fields of responses. One that only helps becomes null if it is invalid.
 */

/** ISO 8601 with a time zone → ms since the epoch. */
const time = z.iso.datetime({ offset: true }).transform(Date.parse);

/** A time as text, or in ms since the epoch (from 2001 to 2286), as opposed to seconds. */
const anyTime = z
  .union([time, z.number().min(1e12).max(1e13)])
  .nullish()
  .catch(null)
  .transform((at) => at ?? null);

const shownNumber = z.number().nonnegative().nullish().catch(null);
const shownText = z.string().catch('');

/** Sites write 0 and 1, too. */
const flag = z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]);

/** IDs of the sites themselves are shorter. */
const discordId = z.string().regex(/^\d{17,20}$/);

/*
 * top.gg.
 */

/** On top.gg, and on the sites whose latest votes are asked for. */
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
    ({ name, headline, ...stated }): SiteProfile => ({
      ...{ name, description: headline || null, tags: stated.tags, servers: null },
      votes: stated.votes_total ?? null,
      monthlyVotes: stated.votes ?? null,
      rating: ratingOf(stated.review_score, stated.review_count),
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
    page: z.object({ data: z.array(z.unknown()), cursor: z.string().nullish() }).transform(
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
    (stated): SiteProfile => ({
      ...{ name: stated.username, description: stated.shortdesc || null, tags: stated.tags },
      votes: stated.points ?? null,
      monthlyVotes: stated.monthlyPoints ?? null,
      servers: stated.server_count ?? null,
      rating: ratingOf(stated.reviews?.averageScore, stated.reviews?.count),
    }),
  );

/**
 * top.gg's version 0, which says neither when the member has voted nor when the next vote is due, and has no history.
 */
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
const topggFor = (key: string): SiteApi => (isKeyOfVersion0(key) ? version0 : version1);

/** True for a JSON Web Token whose payload has `bot: true`, and not the `_t` of newer keys. */
function isKeyOfVersion0(key: string): boolean {
  const payload = objectOf(parseJson(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString()));
  return payload['bot'] === true && !('_t' in payload);
}

/*
 * Sites that are asked for the latest votes of all members.
 */

/** The clock of a site may be ahead by this much (ms). */
const maxAheadMs = 5 * minute;

interface RecentVote {
  readonly userId: string;
  readonly at: number;
}

/** @param votes null for one that cannot be read @param isComplete whether it has all votes of a cooldown */
function votesOfAll(votes: readonly (RecentVote | null)[], isComplete: boolean, now: number): VotesAtSite {
  const readable = votes.filter((vote) => vote !== null && vote.at <= now + maxAheadMs) as readonly RecentVote[];
  const running = readable.filter(({ at }) => at > now - cooldownMs).toSorted((a, b) => b.at - a.at);
  const latest = new Map<string, MemberVote>();
  for (const { userId, at } of running) {
    const later = latest.get(userId);
    const vote = later ?? { ...noVote, userId, voted: true, at, nextVoteAt: at + cooldownMs };
    latest.set(userId, later === undefined ? vote : { ...later, otherTimes: [...later.otherTimes, at] });
  }
  const start = now - cooldownMs;
  const oldest = isComplete || readable.length === 0 ? start : Math.min(...readable.map(({ at }) => at));
  // Any member may be the one of a vote that cannot be read.
  const since = readable.length < votes.length ? now : Math.max(oldest, start);
  return { votes: [...latest.values()], since, isComplete: since <= start };
}

const upvote = z
  .object({ user_id: discordId, timestamp: time })
  .transform(({ user_id: userId, timestamp: at }): RecentVote => ({ userId, at }))
  .nullable()
  .catch(null);
const upvotes = z.object({ upvotes: z.array(upvote), total: z.int().nonnegative() });

const upvotesUrl = 'https://discordbotlist.com/api/v1/bots/{id}/upvotes';

/** The latest 500 votes, of `total` in the last 12 hours. */
const discordbotlist: SiteApi = {
  kinds: ['bot'],
  check: upvotesUrl,
  authorization: '',
  limit: { requests: 30, periodMs: minute },
  response: ({ now }) =>
    upvotes.transform(({ upvotes: votes, total }) => votesOfAll(votes, votes.length >= total, now)),
  history: {
    first: () => upvotesUrl,
    page: upvotes.transform(({ upvotes: votes }) => ({
      votes: votes
        .filter((vote) => vote !== null)
        .map(({ userId, at }) => ({ userId, at, nextVoteAt: at + cooldownMs, weight: 1 })),
      next: null,
    })),
  },
};

const recentVoter = z
  .object({ user: discordId, votedAt: time })
  .transform(({ user: userId, votedAt: at }): RecentVote => ({ userId, at }));

/** A list with the fields of the site's deliveries. How many it has is not documented. */
const recentVoters = ({ now }: ResponseContext): z.ZodType<VotesAtSite> => {
  const voters = z.array(recentVoter);
  return z
    .union([voters, z.object({ votes: voters }).transform(({ votes }) => votes)])
    .transform((votes) => votesOfAll(votes, false, now));
};

/*
 * Sites that are asked about one member. Where nothing is documented, the limit is a guess below what others send.
 */

const fewRequests = { requests: 30, periodMs: minute };
const halfDay = 12 * hour;

/** Votes of a member that are looked at: more than there are in the time that a vote waits. */
const maxTimes = 20;

/** The latest vote is the first one. A vote against the listing has a cooldown as well. */
const infinity: SiteApi = {
  kinds: ['bot', 'server'],
  check: 'https://spider.infinitybots.gg/users/{user}/{kind}/{id}/votes',
  authorization: null,
  limit: fewRequests,
  response: (context) =>
    z
      .object({
        has_voted: z.boolean(),
        valid_votes: z.array(z.object({ created_at: time, upvote: z.boolean().catch(true) })).nullish(),
        vote_info: z.object({ vote_time: z.number().positive().max(240) }),
      })
      .transform(({ has_voted: hasVoted, valid_votes: votes, vote_info: info }) => {
        const [latest] = votes ?? [];
        const cooldownMs = info.vote_time * hour;
        const voted = hasVoted && latest?.upvote !== false;
        const at = latest?.created_at ?? null;
        const nextVoteAt = at === null ? null : at + cooldownMs;
        const upvotes = (votes ?? []).filter(({ upvote }) => upvote).map(({ created_at: votedAt }) => votedAt);
        // The votes that it calls valid may be those of before, too.
        const otherTimes = upvotes.slice(0, maxTimes).filter((votedAt) => !voted || votedAt !== at);
        return votesOfMember({ voted, at, nextVoteAt, otherTimes }, cooldownMs, context);
      }),
};

const discordplace: SiteApi = {
  kinds: ['bot'],
  check: 'https://api.discord.place/bots/{id}/voters/{user}',
  authorization: '',
  limit: { requests: 100, periodMs: 5 * minute },
  response: (context) =>
    z.object({ voted: z.boolean(), lastVote: anyTime }).transform(({ voted, lastVote: at }) => {
      const nextVoteAt = voted && at !== null ? at + day : null;
      return votesOfMember({ voted, at, nextVoteAt }, day, context);
    }),
};

const voidbots: SiteApi = {
  kinds: ['bot'],
  check: 'https://api.voidbots.net/bot/voted/{id}/{user}',
  authorization: '',
  limit: fewRequests,
  response: (context) =>
    z
      .object({ voted: flag, vote_time: anyTime, next_vote: anyTime })
      .transform(({ voted, vote_time: at, next_vote: nextVoteAt }) =>
        votesOfMember({ voted, at, nextVoteAt }, halfDay, context),
      ),
};

const botlistme: SiteApi = {
  kinds: ['bot'],
  check: 'https://api.botlist.me/api/v1/bots/{id}/voted?user_id={user}',
  authorization: '',
  limit: fewRequests,
  response: (context) =>
    z
      .object({ hasVoted: flag })
      .transform(({ hasVoted }) => votesOfMember({ voted: hasVoted, at: null, nextVoteAt: null }, halfDay, context)),
};

/** BotRadar's API, whose documents do not show the response: anything but a list of members and times is an error. */
const botradar: SiteApi = {
  kinds: ['bot'],
  check: 'https://api.botradar.gg/api/bots/{id}/votes',
  authorization: '',
  limit: fewRequests,
  response: recentVoters,
};

const apis: Readonly<Record<string, SiteApi | undefined>> = {
  discordbotlist,
  infinity,
  discordplace,
  voidbots,
  botlistme,
  botradar,
};

/** The API of a site by its ID in the configuration; null for a site without one. */
export function findSiteApi(site: string, key: string | null): SiteApi | null {
  if (site === 'topgg') return topggFor(key ?? '');
  return (Object.hasOwn(apis, site) && apis[site]) || null;
}

/*
 * Sites that take the counts of a bot.
 */

/** The counts of a bot: the servers (guilds) that it is in, and its shards. */
export interface BotCounts {
  readonly servers: number;
  readonly shards: number;
}

/** The request with which a site takes the counts of a bot, as pure data. The site's API token is its key. */
export interface ServerCountApi {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  /** Address, with `{id}` or `{slug}` of the listing, or `{servers}`. */
  readonly path: string;
  /** The text before the key in the header `Authorization`. */
  readonly authorization: '' | 'Bearer ' | 'Bot ';
  /** The fields of the JSON body; null without a body. */
  readonly body: Readonly<Record<string, keyof BotCounts>> | null;
  readonly limit: RequestLimit;
  /** How long a key is rejected after too many requests, if the response does not say (ms). A minute by default. */
  readonly blockMs?: number;
}

const serversAndShards = { server_count: 'servers', shard_count: 'shards' } as const;

const serverCountOfVersion1: ServerCountApi = {
  method: 'PATCH',
  path: `${projectUrl}/metrics`,
  authorization: 'Bearer ',
  body: serversAndShards,
  ...limits,
};

const serverCountOfVersion0: ServerCountApi = {
  method: 'POST',
  path: 'https://top.gg/api/bots/{id}/stats',
  authorization: '',
  body: serversAndShards,
  ...limits,
};

const serverCounts: Readonly<Record<string, ServerCountApi | undefined>> = {
  discordbotlist: {
    method: 'POST',
    path: 'https://discordbotlist.com/api/v1/bots/{id}/stats',
    authorization: '',
    body: { guilds: 'servers' },
    limit: fewRequests,
  },
  discordlistgg: {
    method: 'PUT',
    path: 'https://api.discordlist.gg/v0/bots/{id}/guilds?count={servers}',
    authorization: 'Bearer ',
    body: null,
    limit: fewRequests,
  },
  discords: {
    method: 'POST',
    path: 'https://discords.com/bots/api/bot/{id}/setservers',
    authorization: '',
    body: { server_count: 'servers' },
    limit: fewRequests,
  },
  // It revokes the key of a bot that sends them more often.
  discordplace: {
    method: 'PATCH',
    path: 'https://api.discord.place/bots/{id}/stats',
    authorization: '',
    body: { server_count: 'servers' },
    limit: { requests: 1, periodMs: 6 * hour },
  },
  infinity: {
    method: 'POST',
    path: 'https://spider.infinitybots.gg/bots/stats',
    authorization: '',
    body: { servers: 'servers', shards: 'shards' },
    limit: fewRequests,
  },
  topdiscordlist: {
    method: 'POST',
    path: 'https://topdiscordlist.com/api/bots/{slug}/stats',
    authorization: 'Bot ',
    body: { serverCount: 'servers', shardCount: 'shards' },
    limit: fewRequests,
  },
  botlistme: {
    method: 'POST',
    path: 'https://api.botlist.me/api/v1/bots/{id}/stats',
    authorization: '',
    body: serversAndShards,
    limit: fewRequests,
  },
  voidbots: {
    method: 'POST',
    path: 'https://api.voidbots.net/bot/stats/{id}',
    authorization: '',
    body: serversAndShards,
    limit: fewRequests,
  },
};

/** How a site takes the counts of a bot, by its ID in the configuration; null if it takes none. */
export function findServerCountApi(site: string, key: string): ServerCountApi | null {
  if (site === 'topgg') return isKeyOfVersion0(key) ? serverCountOfVersion0 : serverCountOfVersion1;
  return (Object.hasOwn(serverCounts, site) && serverCounts[site]) || null;
}

/** A listing on another site than the service. */
export interface SiteListing {
  /** The ID of the site in the configuration, such as `topgg`. */
  readonly site: string;
  readonly kind: ListingKind;
  /** The Discord ID of the server or bot; null if it is not configured. */
  readonly id: string | null;
  /** The API token of the site; null without one. */
  readonly key: string | null;
}

/** The missing part for asking the site of a listing who has voted; null if nothing is missing. */
export function missingFor({ site, kind, id, key }: SiteListing): 'api' | 'key' | 'id' | null {
  const api = findSiteApi(site, key);
  if (!api?.kinds.includes(kind)) return 'api';
  if (key === null && api.authorization !== null) return 'key';
  return id === null && api.check.includes('{id}') ? 'id' : null;
}
