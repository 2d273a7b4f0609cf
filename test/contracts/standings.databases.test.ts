import { day, hour } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accountIdOf } from '../../src/core/ledger/account.ts';
import type { Board, Standings } from '../../src/core/ledger/standing.ts';
import type { ListingRewards } from '../../src/core/rewards/rules.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { accountOf, addCommunity, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';

/** Sunday, 1 February 2026 at 00:30 in Berlin, and still January in UTC. */
const start = Date.UTC(2026, 0, 31, 23, 30);
const timeZone = 'Europe/Berlin';
const guildId = '613425648685547541';

const rewards: Partial<ListingRewards> = {
  streak: { every: 2, credits: 50, forgive: 0 },
  voterRole: { role: '70', forMs: 12 * hour },
  milestones: [{ votes: 2, repeats: 'once', credits: 5, role: '71' }],
};
const listings = serverAndBot().map((listing) => ({
  ...listing,
  rewards: { ...listing.rewards, ...rewards },
  community: { ...listing.community, guildId, timeZone },
}));

function standingTests(newUrl: () => string): void {
  async function open() {
    const clock = manualClock(start);
    const url = newUrl();
    const store = await openStore(url, storeClock(clock), { thread: false });
    onTestFinished(() => store.close());
    const castVote = async (userId: string, at: number, name = 'server') => {
      const listing = listings.find((each) => each.name === name);
      if (listing === undefined) throw new Error('no listing');
      const { kind } = listing;
      const target = { kind, id: null };
      const event: Vote = {
        ...{ family: 'vote', kind: kind === 'server' ? 'server_vote' : 'bot_vote', target, userId, at },
        ...{ creditsAwarded: null, denial: null },
      };
      const delivery = { receivedAt: at, family: 'vote', body: '{}' } as const;
      return store.recorder.record(delivery, { type: 'event', event, listing });
    };
    return { url, clock, store, castVote, standings: store.standingsIn(firstCommunity, timeZone) };
  }

  /** Adds credits to the account, without a vote. */
  async function addCredits({ recorder }: Store, userId: string, credits: number) {
    await recorder.correct(
      { communityId: firstCommunity, userId, credits, reason: 'test', at: start },
      `${userId} ${credits}`,
    );
  }

  const pageOf = async (standings: Standings, board: Board, now: number, options: object = {}) =>
    standings.leaderboard({ ...board, limit: 10, offset: 0, userId: null, ...options }, now);
  const linesOf = async (standings: Standings, period: Board['period'], by: Board['by'], now: number) =>
    (await pageOf(standings, { period, by }, now)).members.map(({ rank, userId, score }) => [rank, userId, score]);

  it('returns everything about a member', async () => {
    const { store, castVote, standings } = await open();
    // The roles of the guild, as soon as that is known.
    await store.communityIds.addConfigured([guildId]);
    await castVote('1', start);
    await castVote('1', start + 13 * hour);
    await castVote('1', start + 24 * hour, 'bot');
    const now = start + 25 * hour;
    // Monday: another week than Sunday's.
    expect(await standings.standing('1', now)).toEqual({
      userId: '1',
      credits: 85,
      votes: 3,
      rank: 1,
      streak: { days: 2, endsAt: Date.UTC(2026, 1, 3, 23) },
      week: { votes: 1, credits: 60 },
      month: { votes: 3, credits: 85 },
      lastVotes: { server: start + 13 * hour, bot: start + 24 * hour },
      grants: [
        { role: '70', until: start + 36 * hour },
        { role: '71', until: null },
      ],
      entries: [
        { cause: 'streak', credits: 50, reason: '2 days on 2026-02-02', at: start + 24 * hour, listing: 'bot' },
        { cause: 'vote', credits: 10, reason: null, at: start + 24 * hour, listing: 'bot' },
        { cause: 'milestone', credits: 5, reason: '2 votes', at: start + 13 * hour, listing: 'server' },
        { cause: 'vote', credits: 10, reason: null, at: start + 13 * hour, listing: 'server' },
        { cause: 'vote', credits: 10, reason: null, at: start, listing: 'server' },
      ],
    });
    const grantsAt = async (at: number) => (await standings.standing('1', at)).grants.map(({ role }) => role);
    expect(await grantsAt(start + 36 * hour - 1)).toEqual(['70', '71']);
    expect(await grantsAt(start + 36 * hour)).toEqual(['71']);
    // The streak lasts while its last day does.
    const end = Date.UTC(2026, 1, 3, 23);
    expect((await standings.standing('1', end - 1)).streak).toEqual({ days: 2, endsAt: end });
    expect(await standings.standing('1', end)).toMatchObject({
      streak: { days: 0, endsAt: null },
      week: { votes: 1 },
      grants: [{ role: '71', until: null }],
    });
    // The next month, in another week.
    expect(await standings.standing('1', start + 30 * day)).toMatchObject({
      votes: 3,
      week: { votes: 0, credits: 0 },
      month: { votes: 0, credits: 0 },
    });
  });

  it('returns the last votes alone', async () => {
    const { castVote, standings } = await open();
    await castVote('1', start);
    await castVote('1', start + 24 * hour, 'bot');
    expect(await standings.lastVotes('1')).toEqual({ server: start, bot: start + 24 * hour });
    expect(await standings.lastVotes('2')).toEqual({});
  });

  it('returns an empty standing for a user without an account', async () => {
    const { standings, castVote } = await open();
    await castVote('1', start);
    expect(await standings.standing('2', start)).toEqual({
      ...{ userId: '2', credits: 0, votes: 0, rank: null, streak: { days: 0, endsAt: null } },
      ...{ week: { votes: 0, credits: 0 }, month: { votes: 0, credits: 0 } },
      ...{ lastVotes: {}, grants: [], entries: [] },
    });
  });

  it('ranks equal scores alike, and a member without credits last', async () => {
    const { standings, store, castVote } = await open();
    await castVote('5', start);
    await addCredits(store, '5', -10);
    for (const [userId, credits] of [
      ['30', 40],
      ['4', 70],
      ['20', 70],
      ['100', 90],
    ] as const) {
      await addCredits(store, userId, credits);
    }
    expect(await linesOf(standings, 'all', 'credits', start)).toEqual([
      [1, '100', 90],
      [2, '4', 70],
      [2, '20', 70],
      [4, '30', 40],
    ]);
    const ranks = ['100', '4', '20', '30', '5', '6'].map(async (id) => (await standings.standing(id, start)).rank);
    expect(await Promise.all(ranks)).toEqual([1, 2, 2, 4, 5, null]);
    const board = { period: 'all', by: 'credits' } as const;
    expect(await pageOf(standings, board, start, { limit: 2, offset: 2, userId: '4' })).toEqual({
      board,
      userId: '4',
      members: [
        { userId: '20', score: 70, rank: 2 },
        { userId: '30', score: 40, rank: 4 },
      ],
      moreTied: 0,
      offset: 2,
      total: 4,
      sum: 270,
      own: { userId: '4', score: 70, rank: 2 },
      asOf: start,
      isCurrent: true,
    });
    expect(await pageOf(standings, board, start, { limit: 3, offset: 'own', userId: '30' })).toMatchObject({
      members: [{ userId: '30' }],
      offset: 3,
      own: { userId: '30', score: 40, rank: 4 },
    });
    expect(await pageOf(standings, board, start, { limit: 2, offset: 0 })).toMatchObject({ moreTied: 1 });
    expect(await pageOf(standings, board, start, { limit: 2, offset: 4 })).toMatchObject({ members: [], moreTied: 0 });
    expect(await pageOf(standings, board, start, { limit: 3, offset: 'own', userId: '5' })).toMatchObject({
      offset: 0,
      own: null,
    });
  });

  it('ranks by votes, credits and streak of this week, this month and all time', async () => {
    const { standings, store, castVote } = await open();
    // Sunday and Monday in February.
    await castVote('1', start);
    await castVote('1', start + 13 * hour);
    await castVote('2', start + day);
    await castVote('3', start - 2 * day);
    await addCredits(store, '4', 12);
    const monday = start + day + hour;
    const boards = ['week', 'month', 'all'] as const;
    expect(await Promise.all(boards.map((period) => linesOf(standings, period, 'votes', monday)))).toEqual([
      [[1, '2', 1]],
      [
        [1, '1', 2],
        [2, '2', 1],
      ],
      [
        [1, '1', 2],
        [2, '2', 1],
        [2, '3', 1],
      ],
    ]);
    expect(await Promise.all(boards.map((period) => linesOf(standings, period, 'credits', monday)))).toEqual([
      [[1, '2', 10]],
      [
        [1, '1', 25],
        [2, '2', 10],
      ],
      [
        [1, '1', 25],
        [2, '4', 12],
        [3, '2', 10],
        [3, '3', 10],
      ],
    ]);
    expect(await linesOf(standings, 'week', 'streak', monday)).toEqual([
      [1, '1', 1],
      [1, '2', 1],
    ]);
    expect(await linesOf(standings, 'all', 'streak', monday + 9 * day)).toEqual([]);
  });

  it('shows each vote at once in a small community', async () => {
    const { standings, castVote } = await open();
    for (let votes = 1; votes <= 5; votes += 1) {
      await castVote('1', start + votes * day);
      expect(await linesOf(standings, 'all', 'votes', start + votes * day)).toEqual([[1, '1', votes]]);
    }
  });

  it('never lists a member who was forgotten', async () => {
    const { standings, store } = await open();
    await addCredits(store, 'forgotten 6f1c', 90);
    await addCredits(store, '1', 10);
    expect(await linesOf(standings, 'all', 'credits', start)).toEqual([[1, '1', 10]]);
    expect(await standings.standing('1', start)).toMatchObject({ rank: 1 });
  });

  it('has each member on one page, and finds the page of one among many equals', async () => {
    const { url, standings } = await open();
    const members = Array.from({ length: 300 }, (_, index) => {
      return { userId: String(3 ** (5 + (index % 28)) + index), score: 1 + (index % 4) };
    });
    const rows = members.map(({ userId, score }) => `('${accountOf(userId)}', 0, ${score})`);
    await runSql(url, `INSERT INTO balances (account_id, credits, votes) VALUES ${rows.join(', ')}`);
    const sorted = members.toSorted((a, b) => b.score - a.score || Number(a.userId) - Number(b.userId));
    const board = { period: 'all', by: 'votes' } as const;
    for (let offset = 0; offset < 300; offset += 70) {
      const expected = sorted.slice(offset, offset + 70);
      const page = await pageOf(standings, board, start, { limit: 70, offset });
      expect(page.members.map(({ userId, score }) => ({ userId, score }))).toEqual(expected);
      const [{ userId } = { userId: '' }] = expected.slice(-1);
      expect(await pageOf(standings, board, start, { limit: 70, offset: 'own', userId })).toMatchObject({ offset });
    }
  });

  it('ranks more members than one query reads, and no accounts of other communities', async () => {
    const { url, store } = await open();
    const other = await addCommunity(store, guildId);
    const members = Array.from({ length: 12_000 }, (_, index) => {
      return { userId: String(90_000 + index * 7), credits: index === 0 ? -4 : (index * 7_919) % 997 };
    });
    const pseudonym = { userId: 'forgotten6f1c', credits: 5_000 };
    const rows = [...members, pseudonym].flatMap(({ userId, credits }) => [
      `('${accountOf(userId)}', ${credits}, 1)`,
      `('${accountIdOf(other, userId)}', ${credits + 1}, 1)`,
    ]);
    await runSql(url, `INSERT INTO balances (account_id, credits, votes) VALUES ${rows.join(', ')}`);
    const sorted = (added: number) =>
      members
        .map(({ userId, credits }) => ({ userId, score: credits + added }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || Number(a.userId) - Number(b.userId));
    for (const [communityId, added] of [
      [firstCommunity, 0],
      [other, 1],
    ] as const) {
      const expected = sorted(added);
      const options = { limit: 12_000, userId: expected[9_000]?.userId };
      const page = await pageOf(
        store.standingsIn(communityId, timeZone),
        { period: 'all', by: 'credits' },
        start,
        options,
      );
      expect(page.total).toBe(expected.length);
      expect(page.members.map(({ userId, score }) => ({ userId, score }))).toEqual(expected);
      const [own] = expected.slice(9_000);
      expect(page.own).toEqual({ ...own, rank: 1 + expected.findIndex(({ score }) => score === own?.score) });
    }
  });
}

describe('standings', () => {
  describeOnEveryDatabase('are the same', standingTests);
});
