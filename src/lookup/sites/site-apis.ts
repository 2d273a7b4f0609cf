import { z } from 'zod';
import { day, hour, minute } from '../../platform/durations.ts';
import type { ListingKind } from '../lookup.ts';
import { discordbotlist, recentVoters } from './recent-votes.ts';
import { anyTime, flag, type SiteApi, time, votesOfMember } from './site-api.ts';
import { topggFor } from './topgg.ts';

/*
 * Sites that are asked about one member. Where nothing is documented, the limit is a guess below what others send.
 */

const fewRequests = { requests: 30, periodMs: minute };
const halfDay = 12 * hour;

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
        return votesOfMember({ voted, at, nextVoteAt: at === null ? null : at + cooldownMs }, cooldownMs, context);
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

/** Its documents do not show the response: anything but a list of members and times is an error. */
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

/** A listing on another site than the service. */
export interface SiteListing {
  /** Its ID in the configuration, such as `topgg`. */
  readonly site: string;
  readonly kind: ListingKind;
  /** The Discord ID of the server or bot; null if it is not configured. */
  readonly id: string | null;
  /** The API token of the site; null without one. */
  readonly key: string | null;
}

/** What is missing to ask the site of a listing who has voted; null if nothing is. */
export function missingFor({ site, kind, id, key }: SiteListing): 'api' | 'key' | 'id' | null {
  const api = findSiteApi(site, key);
  if (!api?.kinds.includes(kind)) return 'api';
  if (key === null && api.authorization !== null) return 'key';
  return id === null && api.check.includes('{id}') ? 'id' : null;
}
