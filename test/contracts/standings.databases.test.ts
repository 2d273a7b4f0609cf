import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { expect, it } from 'vitest';
import { accountIdOf } from '../../src/core/ledger/account.ts';
import type { Board, Standings } from '../../src/core/ledger/standing.ts';
import type { ListingRewards } from '../../src/core/rewards/rules.ts';
import type { DayVotes } from '../../src/core/store/standings/votes-per-day.ts';
import type { Store } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { accountOf, addCommunity, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';
import { recordVote } from '../support/record-vote.ts';
import { openLedger } from '../support/voting.ts';

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

describeOnEveryDatabase('standings', (newUrl) => {
  async function open() {
    const clock = manualClock(start);
    const url = newUrl();
    const store = await openLedger(url, storeClock(clock));
    const castVote = async (userId: string, at: number, name = 'server') => {
      const listing = listings.find((each) => each.name === name);
      if (listing === undefined) throw new Error('no listing');
      return recordVote(store, listing, userId, at);
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

  it('knows who has voted in a week, and who of them for the first time, in one community alone', async () => {
    const { castVote, store } = await open();
    // Monday, 2 February at noon.
    const monday = start + 36 * hour;
    const dayAt = (at: number) => Math.floor((at + hour) / day);
    await castVote('1', start);
    await castVote('1', monday);
    await castVote('2', monday);
    await castVote('2', monday + day);
    await castVote('3', start);
    await addCredits(store, '4', 5);
    expect(await store.countVoters(firstCommunity, dayAt(monday + 2 * day))).toEqual({ all: 2, newcomers: 1 });
    expect(await store.countVoters(firstCommunity, dayAt(monday + 7 * day))).toEqual({ all: 0, newcomers: 0 });
    const other = await addCommunity(store, guildId);
    expect(await store.countVoters(other, dayAt(monday))).toEqual({ all: 0, newcomers: 0 });
  });

  const pageOf = async (standings: Standings, board: Board, now: number, options: object = {}) =>
    standings.leaderboard({ ...board, limit: 10, offset: 0, userId: null, ...options }, now);
  const linesOf = async (standings: Standings, period: Board['period'], by: Board['by'], now: number) =>
    (await pageOf(standings, { period, by }, now)).members
      .map(({ rank, userId, score }) => `#${rank} ${userId}: ${score}`)
      .join(', ');

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
      ...{ userId: '1', credits: 85, votes: 3, rank: 1, streak: { days: 2, endsAt: Date.UTC(2026, 1, 3, 23) } },
      ...{ week: { votes: 1, credits: 60 }, month: { votes: 3, credits: 85 } },
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
    expect(await linesOf(standings, 'all', 'credits', start)).toBe('#1 100: 90, #2 4: 70, #2 20: 70, #4 30: 40');
    const ranks = ['100', '4', '20', '30', '5', '6'].map(async (id) => (await standings.standing(id, start)).rank);
    expect(await Promise.all(ranks)).toEqual([1, 2, 2, 4, 5, null]);
    const board = { period: 'all', by: 'credits' } as const;
    expect(await pageOf(standings, board, start, { limit: 2, offset: 2, userId: '4' })).toEqual({
      ...{ board, userId: '4' },
      members: [
        { userId: '20', score: 70, rank: 2 },
        { userId: '30', score: 40, rank: 4 },
      ],
      ...{ moreTied: 0, offset: 2, total: 4, sum: 270, own: { userId: '4', score: 70, rank: 2 }, asOf: start },
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
    const onAll = (by: Board['by']) => Promise.all(boards.map((period) => linesOf(standings, period, by, monday)));
    expect(await onAll('votes')).toEqual(['#1 2: 1', '#1 1: 2, #2 2: 1', '#1 1: 2, #2 2: 1, #2 3: 1']);
    expect(await onAll('credits')).toEqual([
      ...['#1 2: 10', '#1 1: 25, #2 2: 10', '#1 1: 25, #2 4: 12, #3 2: 10, #3 3: 10'],
    ]);
    expect(await linesOf(standings, 'week', 'streak', monday)).toBe('#1 1: 1, #1 2: 1');
    expect(await linesOf(standings, 'all', 'streak', monday + 9 * day)).toBe('');
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
});

/** 1 March 2026 at 12:00 UTC. */
const now = Date.UTC(2026, 2, 1, 12);
const dayOf = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / day;
const firstOfMarch = dayOf(2026, 3, 1);
/** More than one query reads. */
const manyVoters = 10_200;

async function open(url: string) {
  const clock = manualClock(now);
  const store = await openLedger(url, storeClock(clock));
  const listingOf = (name: string) => {
    const listing = serverAndBot().find((each) => each.name === name);
    if (listing === undefined) throw new Error('no listing');
    return listing;
  };
  const castVote = (userId: string, at: number, { listing = 'server', ...changes }: VoteChanges = {}) =>
    recordVote(store, listingOf(listing), userId, at, { receivedAt: Math.max(at, clock.now()), ...changes });
  const claim = (userId: string, at: number) => store.recorder.recordClaim({ userId, at }, listingOf('server'), now);
  const count = store.votesPerDayIn(timeZone);
  return { clock, store, castVote, claim, count: (names: readonly string[] | null) => count(names, clock.now()) };
}

type VoteChanges = Partial<Vote> & { readonly listing?: string };

/** The days with votes, as the date in the month and the votes, in order. */
const busy = (days: readonly DayVotes[]) => {
  const withVotes = days.filter(({ votes }) => votes > 0);
  return withVotes.map((each) => `${new Date(each.day * day).getUTCDate()}: ${each.votes}`).join(', ');
};

describeOnEveryDatabase('votes per day', (newUrl) => {
  it('are those of 30 calendar days, also without votes', async () => {
    const { count } = await open(newUrl());
    expect(await count(['server'])).toEqual(
      Array.from({ length: 30 }, (_, index) => ({ day: firstOfMarch - 29 + index, votes: 0 })),
    );
  });

  it('belong to the day of their time in the time zone', async () => {
    const url = newUrl();
    const { castVote } = await open(url);
    // Midnight in Berlin is 23:00 UTC. The first day is 31 January.
    for (const [userId, at] of Object.entries({
      ...{ 1: Date.UTC(2026, 0, 30, 22, 59), 2: Date.UTC(2026, 0, 30, 23, 0), 3: Date.UTC(2026, 1, 27, 22, 59) },
      ...{ 4: Date.UTC(2026, 1, 27, 23, 0), 5: Date.UTC(2026, 1, 28, 22, 59), 6: Date.UTC(2026, 1, 28, 23, 0) },
      7: now,
    }))
      await castVote(userId, at);
    const { count } = await open(url);
    expect(busy(await count(['server']))).toBe('31: 1, 27: 1, 28: 2, 1: 2');
  });

  it('are known by the hour of the day in the time zone, of the same 30 days', async () => {
    const { castVote, store } = await open(newUrl());
    // 23:50 UTC is 0:50 in Berlin.
    for (const [userId, at] of Object.entries({
      1: now,
      2: now - day,
      3: now - 12 * hour - 10 * minute,
      4: now - 31 * day,
    }))
      await castVote(userId, at);
    const { days, hours } = await store.voteActivityIn(timeZone)(['server'], now);
    expect(busy(days)).toBe('28: 1, 1: 2');
    expect(hours.flatMap((votes, index) => (votes > 0 ? [[index, votes]] : []))).toEqual([
      [0, 1],
      [13, 2],
    ]);
    expect(hours).toHaveLength(24);
  });

  it('are counted votes of the listing, with claims and denied votes', async () => {
    const { castVote, claim, count, store } = await open(newUrl());
    await castVote('1', now - hour);
    // Within the cooldown, so not counted.
    await castVote('1', now - 30 * minute);
    await castVote('2', now - hour, { denial: 'limit' });
    await claim('3', now - hour);
    await castVote('4', now - hour, { listing: 'bot' });
    await store.recorder.correct(
      { communityId: firstCommunity, userId: '1', credits: 5, reason: 'test', at: now },
      'key',
    );
    expect(busy(await count(['server']))).toBe('1: 3');
    expect(busy(await count(['bot']))).toBe('1: 1');
    expect(busy(await count(['server', 'bot', 'other']))).toBe('1: 4');
    expect(busy(await count(null))).toBe('1: 4');
    expect(busy(await count([]))).toBe('');
  });

  it('are known for this month and in all, also when those that no chart shows were added up', async () => {
    const { castVote, store, clock } = await open(newUrl());
    for (const [userId, at] of Object.entries({ 1: now - 90 * day, 2: now - 90 * day, 3: now - day, 4: now }))
      await castVote(userId, at);
    await castVote('5', now, { listing: 'bot' });
    await store.counting.advance();
    await clock.advance(20 * minute);
    while (await store.counting.advance());
    expect(await store.counting.addUpVotesBefore(now - 60 * day)).toBe(false);
    await castVote('6', now);
    const recorded = store.recordedVotesIn(timeZone);
    expect(await recorded(['server'], clock.now())).toEqual({ month: 2, total: 5 });
    expect(await store.counting.addUpVotesBefore(clock.now())).toBe(false);
    expect((await recorded(['server', 'bot'], clock.now())).total).toBe(6);
  });

  it('are counted again after two seconds, also those of earlier days that arrive late', async () => {
    const { castVote, count, clock } = await open(newUrl());
    await castVote('1', now);
    expect(busy(await count(null))).toBe('1: 1');
    await castVote('2', now);
    await castVote('3', now - 2 * day);
    expect(busy(await count(null))).toBe('1: 1');
    await clock.advance(2 * second);
    expect(busy(await count(null))).toBe('27: 1, 1: 2');
  });

  it('stay the same with more of them than one query reads, and after the day has changed', async () => {
    const url = newUrl();
    const { castVote, count, clock } = await open(url);
    await insertVotes(url, `${now} - number % 3 * ${day}`);
    const each = manyVoters / 3;
    const expected = `27: ${each}, 28: ${each}, 1: ${each}`;
    expect(busy(await count(null))).toBe(expected);
    for (let hours = 1; hours <= 3; hours += 1) {
      await clock.advance(hour);
      expect(busy(await count(null))).toBe(expected);
    }
    await castVote('1', clock.now());
    await castVote('2', clock.now() - day);
    await clock.advance(14 * hour);
    await castVote('3', clock.now());
    expect(busy(await count(null))).toBe(`27: ${each}, 28: ${each + 1}, 1: ${each + 1}, 2: 1`);
    await clock.advance(28 * day);
    expect(busy(await count(null))).toBe(`1: ${each + 1}, 2: 1`);
  });
});

/** Entries of votes for the server. @param at their time as SQL, in which `number` is 1 and so on */
function insertVotes(url: string, at: string): Promise<void> {
  return runSql(
    url,
    `WITH RECURSIVE numbers(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ${manyVoters})
     INSERT INTO entries (account_id, listing, credits, cause, at)
     SELECT '1:' || CAST(1000 + number AS text), 'server', 10, 'vote', ${at} FROM numbers`,
  );
}
