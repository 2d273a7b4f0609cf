import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createCalendar } from '../../../src/core/rewards/calendar.ts';
import { listingsOfCommunity } from '../../../src/features/communities/listings.ts';
import { createDigestTask, createVotesBetween } from '../../../src/features/digests/parts.ts';
import { intervalEnd, nextPeriod } from '../../../src/features/digests/store.ts';
import { createLostStreaksTask } from '../../../src/features/lost-streaks/parts.ts';
import { createReviewsTask } from '../../../src/features/reviews/parts.ts';
import type { Lookup, Review } from '../../../src/lookup/lookup.ts';
import { fakeLookup } from '../../support/command-fixture.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue } from '../../support/queues.ts';
import { castVote, installation, monday, openLedger } from '../../support/voting.ts';

const announceChannelId = '119000000000000003';
const member = '200000000000000001';

async function open(announcements: object, rewards: object = {}) {
  const url = newSqliteUrl();
  const clock = manualClock(monday);
  const store = await openLedger(url, storeClock(clock));
  const file = environmentWith([{ ...harbour, guildId: '1000', announceChannelId, announcements, rewards }]);
  const { listings } = loadConfig(file);
  const [listing] = listingsOfCommunity(listings, communityIdsOf(listings));
  if (listing === undefined) throw new Error('no listing');
  const community = installation(url, rewards);
  const posted = async () => {
    const now = clock.now();
    const effects = await store.outbox.claim(channelQueue(announceChannelId), now, now + second, 1);
    await store.outbox.done(effects, now);
    return effects.map((effect) => ({ kind: effect.kind, ...('content' in effect ? effect.content : {}) }));
  };
  const vote = (at: number, userId = member) => castVote(store, community, userId, at);
  return { store, clock, listing, posted, vote, votesBetween: createVotesBetween(store.digests, clock) };
}

describe('the digest', () => {
  it('is enqueued after each interval with votes', async () => {
    const { store, listing, clock, vote, posted, votesBetween } = await open({ mode: 'digest', every: '1h' });
    const run = createDigestTask(listing, { store, clock }, votesBetween);
    expect(await run()).toBe(null);
    await clock.advance(30 * minute);
    await vote(clock.now());
    expect(await run()).toBe(null);
    await clock.advance(30 * minute + 15 * second);
    expect(await run()).toBe(channelQueue(announceChannelId));
    expect(await run()).toBe(null);
    expect(await posted()).toMatchObject([{ kind: 'digest', from: monday, until: monday + hour }]);
    await clock.advance(3 * hour);
    expect(await run()).toBe(null);
    await vote(clock.now(), '200000000000000002');
    await clock.advance(2 * hour);
    expect(await run()).toBe(channelQueue(announceChannelId));
    expect(await posted()).toMatchObject([{ from: monday + 4 * hour, until: monday + 6 * hour }]);
  });
});

describe('lost streaks', () => {
  it('are announced once, some minutes after the day that ended them', async () => {
    const { listing, clock, vote, posted, store } = await open({ lostStreaks: 2 });
    const run = createLostStreaksTask(listing, { store, clock });
    const passDays = async (days: number) => {
      for (let minutes = 0; minutes < days * 24 * 60; minutes += 5) {
        await clock.advance(5 * minute);
        await store.upkeep.beat(clock.now());
      }
    };
    await run();
    await vote(clock.now());
    await passDays(1);
    await vote(clock.now());
    expect(await run()).toBe(null);
    await passDays(1.5);
    expect(await run()).toBe(null);
    await clock.advance(3 * minute);
    const results = await Promise.all([run(), createLostStreaksTask(listing, { store, clock })()]);
    expect(results.filter((queue) => queue !== null)).toEqual([channelQueue(announceChannelId)]);
    expect(await posted()).toMatchObject([{ kind: 'lostStreaks', streaks: [{ userId: member, days: 2 }], more: 0 }]);
    await passDays(1);
    expect(await run()).toBe(null);
  });
});

describe('reviews', () => {
  const review = (index: number): Review => ({
    ...{ username: `Ada ${index}`, rating: 5, comment: 'Good', createdAt: monday + index * minute },
  });

  async function polling() {
    const opened = await open({ reviews: true });
    const { listing, store, clock } = opened;
    interface Service {
      readonly reviews: readonly Review[];
      readonly answer: 'fresh' | 'stale' | 'error';
      readonly budgetLeft: number;
    }
    let service: Service = { reviews: [review(1)], answer: 'fresh', budgetLeft: 100 };
    const polls: string[] = [];
    const lookup: Lookup = {
      ...fakeLookup('server', {}),
      async reviews() {
        const { reviews, answer } = service;
        if (answer === 'error') throw new Error('unreachable');
        const value = { reviews, total: reviews.length, shown: reviews.length };
        return { value, asOf: 0, stale: answer === 'stale' };
      },
    };
    const keyStatus = async () => ({ keyRefused: false, wrongShape: false, budgetLeft: service.budgetLeft });
    const context = { store, lookups: { keyStatus }, isHandled: () => false, clock, log: collectingLog().log };
    const run = createReviewsTask(listing, lookup, context, (outcome) => void polls.push(outcome));
    const set = (changes: Partial<Service>) => {
      service = { ...service, ...changes };
    };
    return { ...opened, run, set, polls };
  }

  it('are polled less often while the service fails, and not without budget', async () => {
    const { run, set, polls, clock } = await polling();
    const pollFor = async (hours: number) => {
      for (let minutes = 0; minutes < hours * 60; minutes += 1) {
        await run();
        await clock.advance(minute);
      }
      return polls.splice(0);
    };
    expect(await pollFor(1)).toEqual(Array.from({ length: 4 }, () => 'polled'));
    set({ budgetLeft: 60 });
    expect(await pollFor(1)).toEqual(Array.from({ length: 4 }, () => 'over_budget'));
    set({ budgetLeft: 61, answer: 'error' });
    const failed = await pollFor(8);
    expect(failed.length).toBeGreaterThan(3);
    expect(failed.length).toBeLessThan(8);
    set({ answer: 'stale' });
    expect(await pollFor(4)).toEqual(['failed', 'failed']);
    set({ answer: 'fresh' });
    expect((await pollFor(day / hour)).slice(0, 1)).toEqual(['polled']);
  });
});

const utc = createCalendar('UTC');
const berlin = createCalendar('Europe/Berlin');
/** A Monday. */
const mondayStart = Date.UTC(2026, 0, 5);

describe('the intervals of digests', () => {
  it('start with the day of the community', () => {
    expect(intervalEnd(utc, hour, mondayStart + 90 * minute)).toBe(mondayStart + hour);
    expect(intervalEnd(utc, 7 * hour, mondayStart + 23 * hour)).toBe(mondayStart + 21 * hour);
    expect(intervalEnd(berlin, day, mondayStart)).toBe(mondayStart - hour);
    expect(intervalEnd(berlin, 12 * hour, mondayStart + 12 * hour)).toBe(mondayStart + 11 * hour);
    const nepal = createCalendar('Asia/Kathmandu');
    expect(intervalEnd(nepal, hour, mondayStart)).toBe(mondayStart - 45 * minute);
  });

  it('of weeks end on Mondays, and of days at midnight', () => {
    for (const days of [0, 1, 6]) expect(intervalEnd(utc, 7 * day, mondayStart + days * day + hour)).toBe(mondayStart);
    const ends = new Set([0, 1, 2, 3].map((days) => intervalEnd(utc, 2 * day, mondayStart + days * day)));
    expect([...ends].every((end) => end % day === 0)).toBe(true);
    expect(ends.size).toBe(2);
  });

  it('are at the full hours of days with a change of the clock', () => {
    const change = Date.UTC(2026, 2, 29);
    const ends = [0, 1, 2, 3].map((hours) => intervalEnd(berlin, hour, change + hours * hour + minute));
    expect(ends).toEqual([0, 1, 2, 3].map((hours) => change + hours * hour));
  });
});

/** All periods of these days, if the loop runs all the time. */
function periodsOf(everyMs: number, { since, until }: { since: number; until: number }): string[] {
  const periods: string[] = [];
  let announcedUntil = intervalEnd(berlin, everyMs, since);
  for (let now = since; now <= until + minute; now += minute) {
    const period = nextPeriod(announcedUntil, { calendar: berlin, everyMs, now });
    if (period === null) continue;
    expect(period.from).toBe(announcedUntil);
    announcedUntil = period.until;
    periods.push(`${(period.from - since) / hour}–${(period.until - since) / hour}`);
  }
  return periods;
}

describe('the periods of days on which the clock is set back', () => {
  const since = Date.UTC(2026, 9, 24, 22);

  it('have no digest of an hour beside those of a day or half a day', () => {
    const days = { since, until: since + 49 * hour };
    expect(periodsOf(day, days)).toEqual(['0–25', '25–49']);
    expect(periodsOf(12 * hour, { since, until: since + 37 * hour })).toEqual(['0–12', '12–25', '25–37']);
    expect(periodsOf(hour, { since, until: since + 25 * hour })).toHaveLength(25);
  });

  it('leave out no hour of several days', () => {
    const weekStart = Date.UTC(2026, 9, 18, 22);
    expect(periodsOf(7 * day, { since: weekStart, until: weekStart + 169 * hour })).toEqual(['0–169']);
  });
});

describe('the next period', () => {
  const next = (announcedUntil: number | null, now: number, everyMs = hour) =>
    nextPeriod(announcedUntil, { calendar: utc, everyMs, now });

  it('is empty the first time', () => {
    expect(next(null, mondayStart + minute)).toEqual({ from: mondayStart, until: mondayStart });
  });

  it('ends when deliveries of its last moment are stored', () => {
    expect(next(mondayStart, mondayStart + hour + 14 * second)).toBe(null);
    expect(next(mondayStart, mondayStart + hour + 15 * second)).toEqual({
      from: mondayStart,
      until: mondayStart + hour,
    });
    expect(next(mondayStart + hour, mondayStart + hour + 15 * second)).toBe(null);
  });

  it('covers a downtime, but at most a day or an interval', () => {
    expect(next(mondayStart, mondayStart + 5 * hour + minute)).toEqual({
      from: mondayStart,
      until: mondayStart + 5 * hour,
    });
    expect(next(mondayStart, mondayStart + 3 * day)).toEqual({
      from: mondayStart + 2 * day - hour,
      until: mondayStart + 3 * day - hour,
    });
    expect(next(mondayStart, mondayStart + 14 * day + minute, 7 * day)).toEqual({
      ...{ from: mondayStart + 7 * day, until: mondayStart + 14 * day },
    });
  });

  it('starts again after one that a clock which was ahead has written', () => {
    expect(next(mondayStart + day, mondayStart + hour)).toEqual({ from: mondayStart, until: mondayStart });
  });
});
