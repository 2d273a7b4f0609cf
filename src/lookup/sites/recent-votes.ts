import { z } from 'zod';
import { hour, minute } from '../../platform/durations.ts';
import { discordId, type MemberVote, type ResponseContext, type SiteApi, time, type VotesAtSite } from './site-api.ts';

/*
 * Sites that are asked for the latest votes of all members.
 */

const cooldownMs = 12 * hour;
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
  for (const { userId, at } of running)
    if (!latest.has(userId)) latest.set(userId, { userId, voted: true, at, nextVoteAt: at + cooldownMs, weight: 1 });
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
export const discordbotlist: SiteApi = {
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
export const recentVoters = ({ now }: ResponseContext): z.ZodType<VotesAtSite> => {
  const voters = z.array(recentVoter);
  return z
    .union([voters, z.object({ votes: voters }).transform(({ votes }) => votes)])
    .transform((votes) => votesOfAll(votes, false, now));
};
