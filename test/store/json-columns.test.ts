import { describe, expect, it } from 'vitest';
import { parseAnnouncement, parseLastVotes, serializeAnnouncement } from '../../src/store/json-columns.ts';

const announcement = {
  event: 'server_vote',
  test: false,
  listing: 'server',
  userId: '1',
  credits: 10,
  balance: 10,
  reason: null,
  at: 1_767_175_200_000,
  nextVoteAt: null,
  tier: null,
  giftedBy: null,
};

describe('a JSON column', () => {
  it('returns a valid value', () => {
    expect(parseAnnouncement(JSON.stringify(announcement), 1)).toEqual(announcement);
    expect(parseLastVotes('{}')).toEqual({});
    expect(parseLastVotes('{"server":5}')).toEqual({ server: 5 });
  });

  it.each([
    ['not an object', '[]'],
    ['null', 'null'],
    ['without a field', JSON.stringify({ ...announcement, credits: undefined })],
    ['with null in a field that is not nullable', JSON.stringify({ ...announcement, at: null })],
    ['with a field of another type', JSON.stringify({ ...announcement, userId: 1 })],
  ])('rejects an announcement that is %s', (_, text) => {
    expect(() => parseAnnouncement(text, 7)).toThrow('effect 7');
  });

  it.each(['[]', 'null', '"server"', '{"server":"5"}', '{"server":null}'])('rejects %s as the last votes', (text) => {
    expect(() => parseLastVotes(text)).toThrow('last_votes');
  });
});

it('an announcement is the same after it was stored, each field with a value of its own', () => {
  const distinct = {
    ...{ event: 'event', test: true, listing: 'listing', userId: 'user', credits: 1, balance: 2, reason: 'reason' },
    ...{ at: 3, nextVoteAt: 4, tier: 'tier', giftedBy: 'giver' },
  };
  expect(parseAnnouncement(serializeAnnouncement(distinct), 1)).toEqual(distinct);
});
