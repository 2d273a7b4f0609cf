import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { expect, it, onTestFinished } from 'vitest';
import type { DayVotes } from '../../src/core/store/standings/votes-per-day.ts';
import { openStore } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';

/** 1 March 2026 at 12:00 UTC. */
const now = Date.UTC(2026, 2, 1, 12);
const timeZone = 'Europe/Berlin';
const dayOf = (year: number, month: number, date: number) => Date.UTC(year, month - 1, date) / day;
const firstOfMarch = dayOf(2026, 3, 1);
/** More than one query reads. */
const manyVoters = 10_200;

async function open(url: string) {
  const clock = manualClock(now);
  const store = await openStore(url, storeClock(clock), { thread: false });
  onTestFinished(() => store.close());
  const listingOf = (name: string) => {
    const listing = serverAndBot().find((each) => each.name === name);
    if (listing === undefined) throw new Error('no listing');
    return listing;
  };
  const castVote = (userId: string, at: number, { listing: name = 'server', ...changes }: VoteChanges = {}) => {
    const listing = listingOf(name);
    const { kind } = listing;
    const event: Vote = {
      ...{ family: 'vote', kind: kind === 'server' ? 'server_vote' : 'bot_vote', target: { kind, id: null } },
      ...{ userId, at, creditsAwarded: null, denial: null, ...changes },
    };
    const delivery = { receivedAt: Math.max(at, clock.now()), family: 'vote', body: '{}' } as const;
    return store.recorder.record(delivery, { type: 'event', event, listing });
  };
  const claim = (userId: string, at: number) => store.recorder.recordClaim({ userId, at }, listingOf('server'), now);
  const count = store.votesPerDayIn(timeZone);
  return { clock, store, castVote, claim, count: (names: readonly string[] | null) => count(names, clock.now()) };
}

type VoteChanges = Partial<Vote> & { readonly listing?: string };

/** The days with votes, as the date in the month and the votes. */
const busy = (days: readonly DayVotes[]) =>
  days.filter(({ votes }) => votes > 0).map((each) => [new Date(each.day * day).getUTCDate(), each.votes]);

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
      1: Date.UTC(2026, 0, 30, 22, 59),
      2: Date.UTC(2026, 0, 30, 23, 0),
      3: Date.UTC(2026, 1, 27, 22, 59),
      4: Date.UTC(2026, 1, 27, 23, 0),
      5: Date.UTC(2026, 1, 28, 22, 59),
      6: Date.UTC(2026, 1, 28, 23, 0),
      7: now,
    }))
      await castVote(userId, at);
    const { count } = await open(url);
    expect(busy(await count(['server']))).toEqual([
      [31, 1],
      [27, 1],
      [28, 2],
      [1, 2],
    ]);
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
    expect(busy(await count(['server']))).toEqual([[1, 3]]);
    expect(busy(await count(['bot']))).toEqual([[1, 1]]);
    expect(busy(await count(['server', 'bot', 'other']))).toEqual([[1, 4]]);
    expect(busy(await count(null))).toEqual([[1, 4]]);
    expect(busy(await count([]))).toEqual([]);
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
    expect(busy(await count(null))).toEqual([[1, 1]]);
    await castVote('2', now);
    await castVote('3', now - 2 * day);
    expect(busy(await count(null))).toEqual([[1, 1]]);
    await clock.advance(2 * second);
    expect(busy(await count(null))).toEqual([
      [27, 1],
      [1, 2],
    ]);
  });

  it('stay the same with more of them than one query reads, and after the day has changed', async () => {
    const url = newUrl();
    const { castVote, count, clock } = await open(url);
    await insertVotes(url, `${now} - number % 3 * ${day}`);
    const each = manyVoters / 3;
    const expected = [
      [27, each],
      [28, each],
      [1, each],
    ];
    expect(busy(await count(null))).toEqual(expected);
    for (let hours = 1; hours <= 3; hours += 1) {
      await clock.advance(hour);
      expect(busy(await count(null))).toEqual(expected);
    }
    await castVote('1', clock.now());
    await castVote('2', clock.now() - day);
    await clock.advance(14 * hour);
    await castVote('3', clock.now());
    const today = [
      [27, each],
      [28, each + 1],
      [1, each + 1],
      [2, 1],
    ];
    expect(busy(await count(null))).toEqual(today);
    await clock.advance(28 * day);
    expect(busy(await count(null))).toEqual([
      [1, each + 1],
      [2, 1],
    ]);
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
