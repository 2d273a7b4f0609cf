import { hour } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  botProfileResponse,
  reviewsResponse,
  serverProfileResponse,
  voteStatusResponse,
} from '../../src/lookup/endpoints.ts';
import { botProfileSchema, reviewsSchema, serverProfileSchema, voteStatusSchema } from '../../src/lookup/lookup.ts';

const now = Date.UTC(2026, 0, 1, 12);

describe('a server profile', () => {
  const documented = {
    id: '123456789012345678',
    name: 'Cats',
    description: 'All cats',
    votes: 1234,
    monthlyVotes: 56,
    tags: ['cats', 'pets'],
    category: 'animals',
    ownerDiscordId: '99999999999999999',
    features: ['COMMUNITY', { any: 'thing' }],
    emojis: [{ id: '1', name: 'cat' }],
    channelCount: 7,
    roleCount: 8,
    rules: ['be nice', 7],
    url: 'https://list.example/server/cats',
    stats: { members: 500, online: 20 },
  };

  it('is parsed completely, without its owner', () => {
    const { ownerDiscordId: _, stats, ...rest } = documented;
    expect(serverProfileResponse.parse(documented)).toEqual({ kind: 'server', ...rest, ...stats });
  });

  it('takes the member count from the stats, or from the top level if they have none', () => {
    const members = (changes: object) => serverProfileResponse.parse({ ...documented, ...changes });
    expect(members({ memberCount: 3 })).toMatchObject({ members: 500, online: 20 });
    expect(members({ memberCount: 3, stats: { online: 2 } })).toMatchObject({ members: 3, online: 2 });
    expect(members({ memberCount: 3, stats: 'none' })).toMatchObject({ members: 3, online: null });
  });

  it('requires only a name', () => {
    const bare = serverProfileResponse.parse({ name: 'Cats' });
    expect(bare).toMatchObject({ name: 'Cats', votes: null, tags: [], members: null, url: null });
    expect(bare).toMatchObject({ features: [], emojis: [], rules: [] });
    expect(serverProfileSchema.parse(bare)).toEqual(bare);
    expect(serverProfileResponse.safeParse({ ...documented, name: undefined }).success).toBe(false);
  });

  it.each(['javascript:alert(1)', 'ftp://list.example', '//list.example', 'cats', 7])('has no URL for %j', (url) => {
    expect(serverProfileResponse.parse({ ...documented, url }).url).toBeNull();
  });

  it('accepts a numeric id only while it is exact', () => {
    const idOf = (id: unknown) => serverProfileResponse.parse({ ...documented, id }).id;
    expect(idOf(42)).toBe('42');
    expect(idOf(2 ** 60)).toBeNull();
    expect(idOf('abc')).toBeNull();
  });

  it('has no counts that are negative, fractional or not numbers', () => {
    const votes = (count: unknown) => serverProfileResponse.parse({ ...documented, votes: count }).votes;
    expect([-1, 1.5, '7', true, null].map(votes)).toEqual([null, null, null, null, null]);
    expect(votes(-0)).toBe(0);
  });

  it('omits invalid tags', () => {
    expect(serverProfileResponse.parse({ ...documented, tags: ['cats', 7, null, ' '] }).tags).toEqual(['cats']);
  });

  it.each([null, 'COMMUNITY', 7, { 0: 'COMMUNITY' }])('has no features for %j', (features) => {
    expect(serverProfileResponse.parse({ ...documented, features }).features).toEqual([]);
  });

  it('accepts any value in optional fields, and can be cached', () => {
    const odd = fc.record(Object.fromEntries(Object.keys(documented).map((field) => [field, fc.jsonValue()])));
    fc.assert(
      fc.property(odd, (fields) => {
        // JSON drops the sign of -0, also within lists of unknown elements.
        const read = serverProfileResponse.parse({ ...JSON.parse(JSON.stringify(fields)), name: 'Cats' });
        expect(serverProfileSchema.parse(JSON.parse(JSON.stringify(read)))).toEqual(read);
      }),
    );
  });
});

describe('a bot profile', () => {
  it('is parsed completely', () => {
    const documented = {
      id: '1',
      name: 'Purr',
      description: 'Purrs',
      votes: 9,
      tags: ['fun'],
      url: 'http://list.example/bot/purr',
      stats: { servers: 77, shards: 2 },
    };
    const { stats, ...rest } = documented;
    expect(botProfileResponse.parse(documented)).toEqual({ kind: 'bot', ...rest, ...stats });
  });

  it('requires only a name', () => {
    const bare = botProfileResponse.parse({ name: 'Purr' });
    expect(bare).toMatchObject({ servers: null, shards: null });
    expect(botProfileSchema.parse(bare)).toEqual(bare);
    expect(botProfileResponse.safeParse({}).success).toBe(false);
  });
});

describe('a vote status', () => {
  const read = (data: unknown) => voteStatusResponse(now).parse(data);
  const lastVoteDate = '2026-01-01T10:00:00.000Z';

  it('has both dates while a cooldown runs', () => {
    const dates = { nextVoteDate: '2026-01-01T22:00:00.123Z', lastVoteDate: '2026-01-01T11:00:00.123+01:00' };
    expect(read({ canVote: false, secondsUntilVote: 36_000, ...dates })).toEqual({
      canVote: false,
      lastVoteAt: now - 2 * hour + 123,
      nextVoteAt: now + 10 * hour + 123,
    });
  });

  it('takes the end from the seconds if the dates are missing', () => {
    expect(read({ canVote: false, secondsUntilVote: 60 }).nextVoteAt).toBe(now + 60_000);
  });

  it('takes the end from the last vote if everything else is missing', () => {
    expect(read({ canVote: false, lastVoteDate }).nextVoteAt).toBe(now + 10 * hour);
  });

  it('has no end in the past', () => {
    expect(read({ canVote: false, nextVoteDate: lastVoteDate, secondsUntilVote: 0 }).nextVoteAt).toBeNull();
    expect(read({ canVote: false, nextVoteDate: lastVoteDate, secondsUntilVote: 5 }).nextVoteAt).toBe(now + 5_000);
  });

  it.each([
    {},
    { nextVoteDate: null, lastVoteDate: null, secondsUntilVote: null },
    { nextVoteDate: 'soon', lastVoteDate: 5 },
  ])('requires only canVote: %j', (rest) => {
    expect(read({ canVote: true, ...rest })).toEqual({ canVote: true, lastVoteAt: null, nextVoteAt: null });
    expect(read({ canVote: false, ...rest })).toEqual({ canVote: false, lastVoteAt: null, nextVoteAt: null });
  });

  it('has no next vote if the user can vote now', () => {
    expect(read({ canVote: true, nextVoteDate: '2026-01-02T00:00:00.000Z', lastVoteDate })).toEqual({
      canVote: true,
      lastVoteAt: now - 2 * hour,
      nextVoteAt: null,
    });
  });

  it.each([{}, { canVote: 'yes' }, { canVote: null }, [], null])('is invalid without canVote: %j', (data) => {
    expect(voteStatusResponse(now).safeParse(data).success).toBe(false);
  });

  it('accepts any value in the other fields, and can be cached', () => {
    const fields = fc.record({
      nextVoteDate: fc.jsonValue(),
      lastVoteDate: fc.jsonValue(),
      secondsUntilVote: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fields, fc.boolean(), (rest, canVote) => {
        const status = read({ canVote, ...rest });
        expect(voteStatusSchema.parse(JSON.parse(JSON.stringify(status)))).toEqual(status);
      }),
    );
  });
});

describe('reviews', () => {
  const documented = { username: 'Ann', rating: 4.5, comment: 'Good', createdAt: '2026-01-01T12:00:00Z' };
  const ann = { username: 'Ann', rating: 4.5, comment: 'Good', createdAt: now };

  it('are parsed with their total', () => {
    const response = { data: [documented], meta: { total: 345, shown: 1 } };
    expect(reviewsResponse.parse(response)).toEqual({ reviews: [ann], total: 345 });
  });

  it('have a total of at least their number', () => {
    expect(reviewsResponse.parse({ data: [documented], meta: undefined }).total).toBe(1);
    expect(reviewsResponse.parse({ data: [documented], meta: { total: 0 } }).total).toBe(1);
  });

  it('may lack any field; elements that are not reviews are omitted', () => {
    const read = reviewsResponse.parse({ data: [{}, 'bad', null, documented], meta: {} });
    expect(read.reviews).toEqual([{ username: null, rating: null, comment: '', createdAt: null }, ann]);
    expect(reviewsSchema.parse(read)).toEqual(read);
  });

  it.each([undefined, null, {}, 'none'])('are invalid without a list: %j', (data) => {
    expect(reviewsResponse.safeParse({ data, meta: {} }).success).toBe(false);
  });
});
