import { minute } from '@tallyhook/platform/durations';
import { createDescribedSite, type DescribedSite } from './described-site.ts';
import type { KnownSite, Site } from './site.ts';

/*
 * A site whose deliveries carry a token is a row. The cooldown is 12 hours, and the last retry after 30 minutes, where the
 * site does not document another.
 */

const described = {
  voidbots: {
    name: 'Void Bots',
    page: 'https://voidbots.net/bot/{id}/vote',
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'test' },
    vote: { field: 'type', is: 'vote' },
  },
  botlistme: {
    name: 'botlist.me',
    page: 'https://botlist.me/bots/{id}/vote',
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'Test' },
    vote: { field: 'type', is: 'Upvote' },
  },
  disurl: {
    name: 'Disurl',
    page: 'https://disurl.me/server/{id}/vote',
    kinds: ['server'],
    // Not the scheme of HTTP: the secret follows as it is.
    prefix: 'Basic ',
    user: 'userId',
    target: { server: 'guildId' },
    test: { field: 'type', is: 'testVote' },
    vote: { field: 'type', is: 'vote' },
  },
  guildsme: {
    name: 'Guilds.me',
    page: null,
    kinds: ['server'],
    user: 'user.id',
    isDiscordUser: 'user.discord',
    target: { server: 'guildId' },
    vote: { field: 'event', is: 'vote' },
    double: 'double',
    retryHorizonMs: 40 * minute,
  },
  discollab: {
    name: 'Discollab',
    page: null,
    prefix: 'Bearer ',
    user: 'user_id',
    target: { server: 'guild_id', bot: 'client_id' },
    test: { field: 'is_test', is: true },
    time: 'voted_on_iso',
    voteAgain: 'vote_again',
  },
  botradar: {
    name: 'BotRadar',
    page: null,
    kinds: ['bot'],
    user: 'user',
    target: { bot: 'bot' },
    test: { field: 'type', is: 'test' },
    vote: { field: 'type', is: 'upvote' },
    time: 'votedAt',
    double: 'isWeekend',
  },
  discordforge: { name: 'DiscordForge', page: null, kinds: ['bot'], user: 'id', test: { field: 'isTest', is: true } },
  diffcord: {
    name: 'Diffcord',
    page: null,
    kinds: ['bot'],
    user: 'user_id',
    target: { bot: 'bot_id' },
    test: { field: 'test', is: true },
    id: 'vote_id',
  },
} as const satisfies Partial<Record<KnownSite, DescribedSite>>;

type Described = keyof typeof described;

export const describedSites = Object.fromEntries(
  (Object.entries(described) as [Described, DescribedSite][]).map(([id, site]) => [id, createDescribedSite(id, site)]),
) as Readonly<Record<Described, Site>>;
