import { day, hour } from '@tallyhook/platform/durations';
import { botId, member, siteKey } from '../../support/site-fixture.ts';

const other = '129908908096487424';
const iso = (at: number) => new Date(at).toISOString();

interface SiteCase {
  readonly site: string;
  readonly kind?: 'server';
  readonly url: string;
  readonly authorization: string | undefined;
  /** The responses at `now`, with a vote an hour before. */
  readonly voted: (at: number) => unknown;
  readonly notVoted: (now: number) => unknown;
  readonly notVotedStatus?: number;
  /** What the client makes of a vote. */
  readonly at: 'known' | 'unknown';
  readonly cooldownMs: number | null;
}

/** Each site whose votes can be checked, with the bodies of its documents or its source. */
export const siteCases: readonly SiteCase[] = [
  {
    site: 'topgg',
    url: `/api/v1/projects/@me/votes/${member}?source=discord`,
    authorization: `Bearer ${siteKey}`,
    voted: (at) => ({ created_at: `${iso(at).slice(0, -1)}4567+00:00`, expires_at: iso(at + 12 * hour), weight: 1 }),
    notVoted: () => ({ type: 'about:blank', title: 'Not Found', status: 404, detail: 'No vote.' }),
    notVotedStatus: 404,
    at: 'known',
    cooldownMs: 12 * hour,
  },
  {
    site: 'discordbotlist',
    url: `/api/v1/bots/${botId}/upvotes`,
    authorization: siteKey,
    voted: (at) => ({
      upvotes: [
        { user_id: other, timestamp: iso(at + 1_000), username: 'ben!', discriminator: '0', avatar: null },
        { user_id: member, timestamp: iso(at), username: 'luke', discriminator: '0123', avatar: '11a2' },
      ],
      total: 2,
    }),
    notVoted: (now) => ({ upvotes: [{ user_id: other, timestamp: iso(now - hour) }], total: 1 }),
    at: 'known',
    cooldownMs: 12 * hour,
  },
  {
    site: 'discordplace',
    url: `/bots/${botId}/voters/${member}`,
    authorization: siteKey,
    voted: (at) => ({ voted: true, vote: 3, lastVote: at }),
    notVoted: () => ({ voted: false, vote: 0, lastVote: null }),
    at: 'known',
    cooldownMs: day,
  },
  {
    site: 'infinity',
    url: `/users/${member}/bot/${botId}/votes`,
    authorization: undefined,
    voted: (at) => ({
      has_voted: true,
      valid_votes: [{ upvote: true, created_at: iso(at) }],
      vote_info: { per_user: 2, vote_time: 6 },
      wait: { hours: 5, minutes: 0, seconds: 0 },
    }),
    notVoted: () => ({ has_voted: false, valid_votes: null, vote_info: { per_user: 1, vote_time: 12 }, wait: null }),
    at: 'known',
    cooldownMs: 6 * hour,
  },
  {
    site: 'voidbots',
    url: `/bot/voted/${botId}/${member}`,
    authorization: siteKey,
    voted: (at) => ({ voted: true, vote_time: at, next_vote: iso(at + 12 * hour) }),
    notVoted: () => ({ voted: false }),
    at: 'known',
    cooldownMs: 12 * hour,
  },
  {
    site: 'botlistme',
    url: `/api/v1/bots/${botId}/voted?user_id=${member}`,
    authorization: siteKey,
    voted: () => ({ hasVoted: true }),
    notVoted: () => ({ hasVoted: false }),
    at: 'unknown',
    cooldownMs: null,
  },
  {
    site: 'botradar',
    url: `/api/bots/${botId}/votes`,
    authorization: siteKey,
    voted: (at) => ({ votes: [{ user: member, votedAt: iso(at) }] }),
    notVoted: (now) => [{ user: other, votedAt: iso(now - day) }],
    at: 'known',
    cooldownMs: 12 * hour,
  },
];
