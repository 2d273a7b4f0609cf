import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { createPseudonym } from '../../../src/core/ledger/account.ts';
import { isOf } from '../../../src/core/outbox/effect-kind.ts';
import { type HandlerKind, handlerKinds } from '../../../src/core/outbox/handler-events.ts';
import type { RoutedDelivery } from '../../../src/core/tally/tally.ts';
import { handlerKind } from '../../../src/features/handlers/handlers.ts';
import { createHandlerRecording, createSubscriptions } from '../../../src/features/handlers/handling.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { Store } from '../../../src/features/store.ts';
import type { Premium } from '../../../src/webhook/event.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { handlerQueue } from '../../support/queues.ts';
import { premiumFor } from '../../support/record-vote.ts';
import { guildId, orderOf, shout } from '../../support/shop-store.ts';
import { castVote, installation, isConsistent, monday, openLedger } from '../../support/voting.ts';

const member = '200000000000000001';
const friend = '200000000000000002';
const rules = {
  vote: 10,
  streak: { every: 2, credits: 0 },
  milestones: [
    { votes: 2, credits: 5 },
    { votes: 3, credits: 0, role: '700000000000000001' },
  ],
};

describeOnEveryDatabase('handlers', (newUrl) => {
  /** A store whose recordings enqueue calls of these kinds. */
  async function open(kinds: readonly HandlerKind[] = handlerKinds) {
    const url = newUrl();
    const store = await openLedger(url);
    const nudged: string[] = [];
    const recording = createHandlerRecording(
      () => kinds,
      (queues) => nudged.push(...queues),
    );
    const recorder = { ...store.recorder, ...recording.recorder(store.recorder) };
    const community = installation(url, rules);
    const vote = (at: number, changes = {}) => castVote({ ...store, recorder }, community, member, at, changes);
    return { url, store, community, nudged, recorder, claims: recording.claims(store.recorder), vote };
  }

  async function callsOf(store: Store, kind: HandlerKind, now = monday + 30 * day) {
    const calls = [];
    for (;;) {
      const [effect] = await store.outbox.claim(handlerQueue(kind), now, now + minute, 10);
      if (effect === undefined) return calls;
      if (!isOf(handlerKind, effect)) throw new Error(`an effect of the kind ${effect.kind}`);
      calls.push(effect);
    }
  }
  const eventsOf = async (store: Store, kind: HandlerKind) =>
    (await callsOf(store, kind)).map(({ content }) => content.event);

  it('are called for votes and what these reach, with the account after them', async () => {
    const { store, vote, nudged, url } = await open();
    const { deliveryId } = await vote(monday);
    await vote(monday + day);
    await vote(monday + 2 * day);
    const listing = { name: 'harbour', kind: 'server', guildId };
    const common = { listing, guildId, userId: member };
    expect(await eventsOf(store, 'vote')).toEqual([
      {
        ...{ type: 'vote', ...common, deliveryId, at: monday, credits: 10, balance: 10, votes: 1, streak: 1 },
        ...{ denied: false, reason: null, nextVoteAt: monday + 12 * hour },
      },
      expect.objectContaining({ credits: 15, balance: 25, votes: 2, streak: 2 }),
      expect.objectContaining({ credits: 10, balance: 35, votes: 3, streak: 3 }),
    ]);
    const at = monday + day;
    expect(await eventsOf(store, 'streak')).toMatchObject([
      { ...common, at, days: 2, credits: 0, balance: 25, streak: 2 },
    ]);
    expect(await eventsOf(store, 'milestone')).toMatchObject([
      { ...common, at, votes: 2, credits: 5, balance: 25 },
      { ...common, votes: 3, credits: 0, balance: 35 },
    ]);
    expect(new Set(nudged)).toEqual(
      new Set(['vote', 'premium', 'streak', 'milestone'].map((kind) => handlerQueue(kind as HandlerKind))),
    );
    expect(await isConsistent(url)).toBe(true);
  });

  it('are not called for votes that do not count, repeats, tests and kinds without a handler', async () => {
    const { store, vote, recorder, community } = await open(['vote']);
    await vote(monday);
    await vote(monday);
    await vote(monday + hour);
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    const test: RoutedDelivery = { type: 'test', test: { kind: 'server_vote', userId: member }, listing };
    await recorder.record({ receivedAt: monday, family: 'vote', body: '{}' }, test);
    await vote(monday + day);
    expect((await callsOf(store, 'vote')).length).toBe(2);
    expect(await callsOf(store, 'streak')).toEqual([]);
    expect(await callsOf(store, 'milestone')).toEqual([]);
  });

  it('are called for denied votes, with the reason', async () => {
    const { store, vote } = await open();
    await vote(monday, { creditsAwarded: false, denial: 'alt account' });
    expect(await eventsOf(store, 'vote')).toMatchObject([
      { credits: 0, votes: 1, denied: true, reason: 'alt account' },
    ]);
  });

  it('are called for claimed votes, which have no delivery', async () => {
    const { store, claims, community } = await open();
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    await claims.recordClaim({ userId: member, at: monday }, listing, monday + minute);
    await claims.recordClaim({ userId: member, at: monday }, listing, monday + minute);
    expect(await eventsOf(store, 'vote')).toMatchObject([
      { deliveryId: null, userId: member, credits: 10, balance: 10 },
    ]);
  });

  it('are called for premium', async () => {
    const { store, recorder, community } = await open();
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    const gift = { giftedBy: friend, orderIds: ['order-1'], tier: 'Gold', periodEnd: monday + 30 * day };
    const event = premiumFor(member, { ...gift, at: monday });
    const body = JSON.stringify({ orderId: 'order-1', recipient: member, giftedBy: friend });
    await recorder.record({ receivedAt: monday, family: 'premium', body }, { type: 'event', event, listing });
    const ended: Premium = { ...event, kind: 'subscription.expired' };
    await recorder.record(
      { receivedAt: monday + 30 * day, family: 'premium', body: `${body} ` },
      { type: 'order', event: ended, listings: [listing], fallback: null },
    );
    await forgetMember(store.memberData, friend, { pseudonym: createPseudonym(), now: monday, keepVotesMs: day });
    expect(await eventsOf(store, 'premium')).toMatchObject([
      { kind: 'premium_purchase', userId: member, giftedBy: null, tier: 'Gold', credits: 100, balance: 100 },
      { kind: 'subscription.expired', userId: member, credits: 0, balance: null },
    ]);
  });

  it('are called for purchases', async () => {
    const { store } = await open();
    await store.recorder.correct(
      { communityId: firstCommunity, userId: '1', credits: 100, reason: 'gift', at: monday },
      'gift',
    );
    await store.shop.purchase(orderOf(shout), monday);
    await store.shop.purchase(orderOf(shout, { isHandled: true }), monday);
    expect(await eventsOf(store, 'purchase')).toMatchObject([
      { userId: '1', guildId, listing: null, item: 'shout', name: 'Shout-out', price: 50, credits: -50, balance: 0 },
    ]);
  });

  it('are called for new reviews, also if these are not announced', async () => {
    const { store } = await open();
    const handled = { name: 'harbour', kind: 'server', guildId } as const;
    const review = { id: 'a', username: 'Ada', rating: 5, comment: 'Good', createdAt: monday };
    const listed = { listing: 'harbour', communityId: firstCommunity, channelId: null, handled, isPartial: false };
    await store.reviews.announce({ ...listed, reviews: [review] }, monday);
    const newer = { ...review, id: 'b', comment: 'Better', createdAt: monday + hour };
    expect(await store.reviews.announce({ ...listed, reviews: [newer, review] }, monday + hour)).toBe(1);
    const [call, ...others] = await callsOf(store, 'review');
    expect(others).toEqual([]);
    expect(call?.content.event).toMatchObject({ listing: handled, username: 'Ada', comment: 'Better', userId: null });
  });

  it('of a forgotten member are not called any more', async () => {
    const { store, vote, claims, community } = await open();
    await vote(monday);
    const [listing] = community.listings;
    if (listing === undefined) throw new Error('no listing');
    await claims.recordClaim({ userId: member, at: monday + day }, listing, monday + day);
    await forgetMember(store.memberData, member, { pseudonym: createPseudonym(), now: monday, keepVotesMs: day });
    for (const kind of handlerKinds) expect(await callsOf(store, kind)).toEqual([]);
  });

  it('of other processes are known for a week after these have stopped', async () => {
    const store = await openLedger(newUrl());
    const clock = manualClock(monday);
    const owner = createSubscriptions(['review', 'vote'], store.handlers, { clock, isShared: true });
    const receiver = createSubscriptions([], store.handlers, { clock, isShared: true });
    await receiver.refresh();
    expect(receiver.kinds()).toEqual([]);
    await owner.refresh();
    await receiver.refresh();
    expect(receiver.kinds()).toEqual(['vote', 'review']);
    await clock.advance(6 * day);
    await owner.refresh();
    await clock.advance(6 * day);
    await receiver.refresh();
    expect(receiver.kinds()).toEqual(['vote', 'review']);
    await clock.advance(2 * day);
    await receiver.refresh();
    expect(receiver.kinds()).toEqual([]);
  });
});
