import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { createVotesBetween } from '../../../src/features/digests/parts.ts';
import type { PlannedDigest } from '../../../src/features/digests/store.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { Store } from '../../../src/features/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { channelQueue } from '../../support/queues.ts';
import { premiumFor } from '../../support/record-vote.ts';
import { castVote, installation, monday, openLedger } from '../../support/voting.ts';

const channelId = '119000000000000003';
const member = (index: number) => `20000000000000000${index}`;
const dayNumber = Math.floor(monday / day);

/** The waiting effects of the channel, which are done with this. */
async function posted(store: Store, now = monday): Promise<unknown[]> {
  const all = [];
  for (;;) {
    const effects = await store.outbox.claim(channelQueue(channelId), now, now + 1_000, 10);
    if (effects.length === 0) return all;
    all.push(...effects.map((effect) => [effect.kind, 'content' in effect ? effect.content : null]));
    await store.outbox.done(effects, now);
  }
}

const plan: PlannedDigest = {
  ...{
    ...{ listing: 'harbour', communityId: firstCommunity, channelId, announcedUntil: null, from: monday },
    ...{ until: monday + hour, hasVotes: true },
  },
};

describeOnEveryDatabase('announcements apart from events', (newUrl) => {
  it('summarise the votes that a listing received in a period', async () => {
    const url = newUrl();
    const rewards = { vote: 10, milestones: [{ votes: 2, credits: 100 }], whenDenied: 1 };
    const community = installation(url, rewards);
    const store = await openLedger(url);
    await castVote(store, community, member(1), monday - minute);
    await castVote(store, community, member(1), monday + 12 * hour);
    await castVote(store, community, member(2), monday + 12 * hour);
    await castVote(store, community, member(2), monday + 12 * hour + minute);
    await castVote(store, community, member(3), monday + 13 * hour, { denial: 'no' });
    await castVote(store, community, member(4), monday + 13 * hour, { listing: 'pier' });
    await castVote(store, community, member(1), monday + 24 * hour);
    const votesBetween = createVotesBetween(store.digests, manualClock(monday));
    expect(await votesBetween('harbour', monday, monday + day)).toEqual({
      ...{ votes: 3, voters: 3, credits: 121, moreMilestones: 0 },
      top: [1, 2, 3].map((index) => ({ userId: member(index), votes: 1 })),
      milestones: [{ userId: member(1), votes: 2 }],
    });
    expect(await votesBetween('harbour', monday - hour, monday + 2 * day)).toMatchObject({
      ...{ votes: 5, voters: 3, top: [{ userId: member(1), votes: 3 }, { votes: 1 }, { votes: 1 }] },
    });
    expect(await votesBetween('harbour', monday + 2 * day, monday + 3 * day)).toMatchObject({ votes: 0, top: [] });
    await forgetMember(store.memberData, member(1), { pseudonym: 'forgotten1', now: monday, keepVotesMs: 0 });
    expect(await votesBetween('harbour', monday, monday + day)).toMatchObject({ votes: 3, voters: 3, milestones: [] });
  });

  it('of votes, milestones, premium and the party are those that are switched on', async () => {
    const rewards = {
      ...{ vote: 10, milestones: [{ votes: 2, credits: 100 }] },
      party: { goal: 2, per: 'day', credits: 1 },
    };
    const all = { votes: true, milestones: true, premium: true, party: true };
    const announcedWith = async (announced: Partial<typeof all>) => {
      const url = newUrl();
      const { listings, environment } = installation(url, rewards);
      const store = await openLedger(url);
      const changed = listings.map((each) => ({
        ...each,
        ...{ announceChannelId: channelId, premiumChannelId: channelId, announced: { ...all, ...announced } },
      }));
      for (const hours of [0, 12, 24]) {
        await castVote(store, { environment, listings: changed }, member(1), monday - 24 * hour + hours * hour);
      }
      const [listing] = changed;
      if (listing === undefined) throw new Error('no listing');
      const purchase = premiumFor(member(1), { at: monday });
      const delivery = { receivedAt: monday, family: 'premium', body: '{}' } as const;
      await store.recorder.record(delivery, { type: 'event', event: purchase, listing });
      const kinds = (await posted(store)).map((effect) => (Array.isArray(effect) ? effect : []));
      await store.recorder.record(
        { ...delivery, family: 'vote' },
        { type: 'test', test: { kind: 'server_vote', userId: null }, listing },
      );
      expect(await posted(store)).toEqual([['announcement', expect.objectContaining({ test: true })]]);
      return kinds.map(([kind, content]) => {
        const isMilestone = JSON.stringify(content).includes('"milestone"');
        return kind === 'announcement' ? `${content.event}${isMilestone ? ' milestone' : ''}` : kind;
      });
    };
    const party = ['partyPanel', 'partyReached'];
    const sorted = (kinds: readonly string[]) => [...new Set(kinds)].toSorted();
    expect(sorted(await announcedWith({}))).toEqual(
      sorted([...party, 'premium_purchase', 'server_vote', 'server_vote milestone']),
    );
    expect(sorted(await announcedWith({ votes: false }))).toEqual(
      sorted([...party, 'premium_purchase', 'server_vote milestone']),
    );
    expect(sorted(await announcedWith({ votes: false, milestones: false, premium: false }))).toEqual(sorted(party));
    expect(await announcedWith({ votes: false, milestones: false, premium: false, party: false })).toEqual([]);
  });

  it('are planned once for each period, by whatever process', async () => {
    const url = newUrl();
    const [store, other] = [await openLedger(url), await openLedger(url)];
    const results = await Promise.all([store, other, store, other].map((each) => each.digests.plan(plan, monday)));
    expect(results.filter((queue) => queue !== null)).toEqual([channelQueue(channelId)]);
    expect(await posted(store)).toEqual([
      ['digest', { channelId, listing: 'harbour', from: monday, until: monday + hour }],
    ]);
    expect(await store.digests.announcedUntil('harbour')).toBe(monday + hour);
    const next = { ...plan, announcedUntil: monday + hour, from: monday + hour, until: monday + 2 * hour };
    expect(await store.digests.plan({ ...next, hasVotes: false }, monday)).toBe(null);
    expect(await store.digests.announcedUntil('harbour')).toBe(monday + 2 * hour);
    expect(await posted(store)).toEqual([]);
  });

  it('find the streaks that ended, with forgiven days and outages, also of members who vote again', async () => {
    const url = newUrl();
    const community = installation(url, { streak: { every: 7, credits: 1, forgive: 1 } });
    const store = await openLedger(url);
    const vote = (index: number, ...days: readonly number[]) =>
      days.reduce<Promise<unknown>>(
        (before, each) => before.then(() => castVote(store, community, member(index), monday + each * day)),
        Promise.resolve(),
      );
    await vote(1, 0, 1, 2, 3);
    await vote(2, 0, 1);
    await vote(3, 1, 2, 3, 4);
    await vote(4, 0, 1, 2, 3, 6);
    await vote(5, 0, 1, 3);
    const query = { communityId: firstCommunity, minDays: 3, forgive: 1, timeZone: 'UTC' };
    const lostOn = (from: number, until = from + 1) =>
      store.lostStreaks.find({ ...query, from: dayNumber + from, until: dayNumber + until });
    // One missed day is forgiven, the second one ends the streak.
    expect(await lostOn(0, 5)).toEqual([{ userId: member(5), days: 3 }]);
    expect(await lostOn(5)).toEqual([
      { userId: member(1), days: 4 },
      { userId: member(4), days: 4 },
    ]);
    expect(await lostOn(6)).toEqual([{ userId: member(3), days: 4 }]);
    expect(await lostOn(7, 12)).toEqual([]);
    await store.upkeep.beat(monday + 5 * day - 12 * hour);
    await store.upkeep.beat(monday + 6 * day - 12 * hour);
    expect((await lostOn(5)).map(({ userId }) => userId)).toEqual([]);
    expect((await lostOn(6)).map(({ userId }) => userId)).toEqual([member(1)]);
  });

  it('are planned once for the streaks of a day', async () => {
    const store = await openLedger(newUrl());
    const lost = {
      ...{ communityId: firstCommunity, listing: 'harbour', channelId, checkedUntil: null, until: dayNumber, more: 2 },
      streaks: [{ userId: member(1), days: 4 }],
    };
    const { plan: planLostStreaks, checkedUntil } = store.lostStreaks;
    expect(await Promise.all([planLostStreaks(lost, monday), planLostStreaks(lost, monday)])).toContain(null);
    expect(await posted(store)).toEqual([
      ['lostStreaks', { channelId, listing: 'harbour', until: dayNumber, streaks: lost.streaks, more: 2 }],
    ]);
    expect(await checkedUntil('1')).toBe(dayNumber);
    const none = { ...lost, checkedUntil: dayNumber, until: dayNumber + 1, streaks: [] };
    expect(await planLostStreaks(none, monday)).toBe(null);
    expect(await checkedUntil('1')).toBe(dayNumber + 1);
    expect(await posted(store)).toEqual([]);
  });

  it('of lost streaks keep the others when one of the members is forgotten', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    await castVote(store, installation(url, {}), member(1), monday);
    const streaks = [1, 2].map((index) => ({ userId: member(index), days: 4 }));
    const lost = {
      ...{ communityId: firstCommunity, listing: 'harbour', channelId, checkedUntil: null, until: dayNumber },
      ...{ more: 3, streaks },
    };
    await store.lostStreaks.plan(lost, monday);
    await forgetMember(store.memberData, member(1), { pseudonym: 'forgotten1', now: monday, keepVotesMs: 0 });
    const left = { channelId, listing: 'harbour', until: dayNumber, streaks: streaks.slice(1), more: 3 };
    expect(await posted(store)).toEqual([['lostStreaks', left]]);
  });

  it('have each new review once, and none of those that were there before', async () => {
    const url = newUrl();
    const [store, other] = [await openLedger(url), await openLedger(url)];
    const review = (id: number, createdAt: number | null = monday + id * minute) => ({
      ...{ id: `review ${id}`, username: `Ada ${id}`, rating: 4.5, comment: 'Good', createdAt },
    });
    const announce = (ids: readonly number[], isPartial = false, each: Store = store) =>
      each.reviews.announce(
        { listing: 'harbour', communityId: firstCommunity, channelId, reviews: ids.map((id) => review(id)), isPartial },
        monday,
      );
    expect(await announce([2, 1])).toBe(0);
    const counts = await Promise.all([announce([4, 3, 2, 1]), announce([4, 3, 2, 1], false, other)]);
    expect(counts.toSorted()).toEqual([0, 2]);
    const { id, ...content } = review(3);
    expect(await posted(store)).toEqual([
      ['review', { channelId, listing: 'harbour', id, review: content }],
      ['review', expect.objectContaining({ id: 'review 4' })],
    ]);
    // A full list: review 4 was deleted, so that an older one enters it.
    expect(await announce([5, 4, 3], true)).toBe(1);
    expect(await announce([5, 3, 2], true)).toBe(0);
    expect(await announce([6, 5, 3], true)).toBe(1);
    const undated = {
      ...{ listing: 'pier', communityId: firstCommunity, channelId, reviews: [review(1, null)], isPartial: false },
    };
    expect(await store.reviews.announce({ ...undated, reviews: [] }, monday)).toBe(0);
    expect(await store.reviews.announce(undated, monday)).toBe(1);
    expect(await store.reviews.announce(undated, monday)).toBe(0);
  });

  it('poll reviews in one process at a time', async () => {
    const url = newUrl();
    const [store, other] = [await openLedger(url), await openLedger(url)];
    const claim = (each: Store, now: number) => each.reviews.claimPoll('harbour', now, now + 15 * minute);
    const claims = await Promise.all([claim(store, monday), claim(other, monday), claim(store, monday)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await claim(other, monday + 15 * minute - 1)).toBe(false);
    expect(await claim(other, monday + 15 * minute)).toBe(true);
    // A clock that was ahead by days wrote the time of the next poll.
    expect(await claim(store, monday - 5 * day)).toBe(true);
  });
});
