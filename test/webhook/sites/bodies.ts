/*
 * Bodies as the sites document them, or as programs that run against them expect. `votes` are of `voter` for `target`.
 */

export const voter = '205680187394752512';
export const target = '716390085896962058';
/** The time of those that have one. */
export const votedAt = Date.parse('2026-02-09T00:47:14.251Z');

interface Bodies {
  readonly kind: 'server' | 'bot';
  readonly votes: readonly object[];
  readonly tests?: readonly object[];
  /** Other events, which pay nothing. */
  readonly others?: readonly object[];
}

const topggVote = {
  type: 'vote.create',
  data: {
    id: '808499215864008704',
    weight: 1,
    created_at: '2026-02-09T00:47:14.2510149+00:00',
    expires_at: '2026-02-09T12:47:14.2510149+00:00',
    project: { id: '803190510032756736', type: 'bot', platform: 'discord', platform_id: target },
    user: { id: '140862798832861184', platform_id: voter, name: 'username', avatar_url: 'https://example.com/a.png' },
  },
};

export const topggVersion1: Bodies = {
  kind: 'bot',
  votes: [topggVote, { ...topggVote, data: { ...topggVote.data, query: 'a=b' } }],
  tests: [{ type: 'webhook.test', data: { user: topggVote.data.user, project: topggVote.data.project } }],
  others: [
    { type: 'integration.delete', data: { connection_id: '1' } },
    { type: 'integration.create', data: { connection_id: '1', webhook_secret: 'whs_other', ...topggVote.data } },
    { type: 'something.new', data: {} },
  ],
};

const infinityVote = {
  creator: { id: voter, username: 'voter' },
  type: 'NEW_VOTE',
  data: { votes: 1, per_user: 1, downvote: false },
  targets: { bot: { bot_id: target } },
  metadata: { created_at: 1770598034, test: false },
};
const discordsVote = { user: voter, bot: target, type: 'vote' };

export const bodies: Readonly<Record<string, Bodies>> = {
  topgg: {
    kind: 'bot',
    votes: [
      { bot: target, user: voter, type: 'upvote', isWeekend: false, query: '' },
      { bot: target, user: voter, type: 'upvote', isWeekend: false, query: { source: 'command' }, entity: 'bot' },
    ],
    tests: [{ bot: target, user: voter, type: 'test', isWeekend: false }],
    others: [{ bot: target, user: voter, type: 'downvote' }],
  },
  discordbotlist: {
    kind: 'bot',
    votes: [
      { avatar: '11a2', username: 'ben!', id: voter },
      { admin: true, avatar: '11a2', username: 'ben!', id: voter },
    ],
  },
  discordplace: {
    kind: 'server',
    votes: [{ guild: target, user: voter, test: false }],
    tests: [{ guild: target, user: voter, test: true }],
  },
  infinity: {
    kind: 'bot',
    votes: [infinityVote],
    tests: [{ ...infinityVote, targets: { bot: {} }, metadata: { ...infinityVote.metadata, test: true } }],
    others: [
      { ...infinityVote, type: 'NEW_REVIEW', data: {}, targets: { bot: {} } },
      { ...infinityVote, data: { ...infinityVote.data, downvote: true } },
      { ...infinityVote, data: { downvote: false }, targets: { team: {} } },
    ],
  },
  discords: {
    kind: 'bot',
    votes: [
      { ...discordsVote, query: { cast: `/bots/bot/${target}/vote` }, engine: 'IridiumNode-v16.18.1' },
      { ...discordsVote, type: 'premium_vote' },
      { ...discordsVote, votes: { totalVotes: 3, votes24: 1, votesMonth: 2, hasVoted: [voter] } },
    ],
    tests: [{ user: voter, bot: target, type: 'test' }],
    others: [{ user: voter, bot: target, type: 'review', stars: 5, content: 'good' }],
  },
  topdiscordlist: {
    kind: 'bot',
    votes: [
      {
        event: 'vote',
        deliveryId: 'whd_9f2c1a',
        sentAt: '2026-02-09T00:47:15.000Z',
        vote: { id: 'vote_4b81e2', votedAt: '2026-02-09T00:47:14.251Z' },
        user: { id: 'user_a1b2c3', username: 'voter', discordId: voter },
        listing: { type: 'bot', id: 'bot_a1b2c3', slug: 'example-bot', name: 'Example', voteCount: 43 },
        streak: { listing: 3, global: 12 },
      },
    ],
    tests: [
      { event: 'test', deliveryId: 'whd_1', user: { id: 'user_a1b2c3', discordId: voter } },
      { event: 'vote', vote: { id: 'vote_1', isTest: true }, user: { discordId: voter } },
    ],
    others: [{ event: 'review', user: { discordId: voter } }],
  },
  voidbots: {
    kind: 'bot',
    votes: [{ bot: target, user: voter, type: 'vote' }],
    tests: [{ bot: target, user: voter, type: 'test' }],
    others: [{ bot: target, user: voter, type: 'review' }],
  },
  botlistme: {
    kind: 'bot',
    votes: [{ bot: target, user: voter, type: 'Upvote' }],
    tests: [{ bot: target, user: voter, type: 'Test' }],
    others: [{ bot: target, user: voter, type: 'Review' }],
  },
  disurl: {
    kind: 'server',
    votes: [{ type: 'vote', guildId: target, userId: voter }],
    tests: [{ type: 'testVote', guildId: target, userId: voter }],
    others: [{ type: 'bump', guildId: target, userId: voter }],
  },
  guildsme: {
    kind: 'server',
    votes: [{ event: 'vote', guildId: target, double: false, user: { id: voter, discord: true, username: 'voter' } }],
    others: [
      { event: 'review', guildId: target, user: { id: voter, discord: true } },
      { event: 'vote', guildId: target, double: false, user: { id: '123456789012345678', discord: false } },
    ],
  },
  discollab: {
    kind: 'server',
    votes: [
      {
        guild_id: target,
        user_id: voter,
        username: 'voter',
        voted_on_iso: '2026-02-09T00:47:14.251Z',
        vote_again: 43_200,
        times_voted: 3,
        is_test: false,
      },
      { guild_id: target, id: voter, username: 'voter', voted_on_iso: '2026-02-09T00:47:14.251Z', is_test: false },
    ],
    tests: [{ guild_id: target, user_id: voter, is_test: true }],
  },
  botradar: {
    kind: 'bot',
    votes: [{ bot: target, user: voter, type: 'upvote', isWeekend: false, votedAt: '2026-02-09T00:47:14.251+00:00' }],
    tests: [{ bot: target, user: voter, type: 'test', isWeekend: false }],
  },
  discordforge: {
    kind: 'bot',
    votes: [{ admin: false, avatar: 'a', username: 'v', id: voter, weeklyVotes: 1, totalVotes: 2, isTest: false }],
    tests: [{ admin: false, avatar: 'a', username: 'v', id: voter, weeklyVotes: 1, totalVotes: 2, isTest: true }],
  },
  diffcord: {
    kind: 'bot',
    votes: [
      {
        vote_id: '6f1c7f0e-7d6c-4b8e-9d64-0c1e8f2a5b3d',
        user_id: voter,
        bot_id: target,
        since_vote: 3,
        rewarded: false,
        test: false,
        monthly_votes: 4,
      },
    ],
    tests: [{ vote_id: 'x', user_id: voter, bot_id: target, test: true }],
  },
};
