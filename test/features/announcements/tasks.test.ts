import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { listingsOfCommunity } from '../../../src/features/communities/listings.ts';
import { createDigestTask, createVotesBetween } from '../../../src/features/digests/parts.ts';
import { createLostStreaksTask } from '../../../src/features/lost-streaks/parts.ts';
import { createReviewsTask } from '../../../src/features/reviews/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import type { Lookup, Review } from '../../../src/lookup/lookup.ts';
import { fakeLookup } from '../../support/command-fixture.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { channelQueue } from '../../support/queues.ts';
import { castVote, installation, monday } from '../../support/voting.ts';

const announceChannelId = '119000000000000003';
const member = '200000000000000001';

async function open(announcements: object, rewards: object = {}) {
  const url = newSqliteUrl();
  const clock = manualClock(monday);
  const store = await openStore(url, storeClock(clock), { thread: false });
  onTestFinished(() => store.close());
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

  it('are announced once, and not those of the first poll', async () => {
    const { run, set, posted, clock } = await polling();
    expect(await run()).toBe(null);
    set({ reviews: [review(2), { ...review(1), comment: 'edited' }] });
    expect(await run()).toBe(null);
    await clock.advance(15 * minute);
    expect(await run()).toBe(channelQueue(announceChannelId));
    expect(await posted()).toMatchObject([{ kind: 'review', review: { username: 'Ada 2', comment: 'Good' } }]);
    await clock.advance(15 * minute);
    expect(await run()).toBe(null);
  });

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
