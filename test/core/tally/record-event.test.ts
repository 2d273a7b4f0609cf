import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { sampleSize } from '@tallyhook/platform/testing/sample';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RewardRules } from '../../../src/core/rewards/reward.ts';
import { openStore } from '../../../src/features/store.ts';
import type { Event, Premium } from '../../../src/webhook/event.ts';
import { claimDue } from '../../support/claim-due.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { premiumOf, voteOf } from '../../support/record-vote.ts';

const start = Date.UTC(2026, 0, 1);
const [server, bot] = serverAndBot();

async function openRecorder() {
  const store = await openStore(newSqliteUrl(), manualClock(start), { thread: false });
  onTestFinished(() => store.close());
  const record = (event: Event, { receivedAt = start, listing = server, body = '{}' } = {}) =>
    store.recorder.record({ receivedAt, family: event.family, body }, { type: 'event', event, listing });
  return { store, record };
}

describe('a vote', () => {
  it('of a time years back counts from its receipt, says so, and is known by that time however late it is repeated', async () => {
    const { store, record } = await openRecorder();
    const old = voteOf({ at: 0 });
    const reason = 'its timestamp is years back, so the time of receipt counts';
    expect(await record(old)).toMatchObject({ outcome: 'recorded', credits: 10, reason });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('1', 'server')).toBe(start);
    const [effect] = await claimDue(store.outbox, start, start + minute, 1);
    expect(effect).toMatchObject({ kind: 'announcement', content: { at: start, credits: 10 } });
    for (const receivedAt of [start + minute, start + 13 * hour, start + 3_000 * day])
      expect(await record(old, { receivedAt })).toMatchObject({ outcome: 'duplicate' });
    const next = voteOf({ at: 1_000 });
    expect(await record(next, { receivedAt: start + hour })).toMatchObject({ reason: 'within_cooldown' });
    expect(await record(voteOf({ at: 2_000 }), { receivedAt: start + 13 * hour })).toMatchObject({
      credits: 10,
      reason,
    });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 20, votes: 2 });
    const late = voteOf({ at: start - 300 * day, userId: '2' });
    expect(await record(late)).toMatchObject({ credits: 10, reason: null });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('2', 'server')).toBe(start - 300 * day);
  });

  it('for the bot is distinct from a vote for the server at the same time', async () => {
    const { store, record } = await openRecorder();
    await record(voteOf());
    await record(voteOf({ kind: 'bot_vote' }), { listing: bot });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 20, votes: 2 });
  });

  it('within the cooldown of another is recorded, pays nothing and is not counted, in either order', async () => {
    const { store, record } = await openRecorder();
    await record(voteOf());
    for (const gapMs of [hour, -hour, 12 * hour - 5 * minute - 1, -(12 * hour - 5 * minute - 1)]) {
      expect(await record(voteOf({ at: start + gapMs })), String(gapMs)).toMatchObject({
        outcome: 'recorded',
        credits: 0,
        reason: 'within_cooldown',
      });
    }
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 10, votes: 1 });
    expect(await record(voteOf({ at: start + 12 * hour - 5 * minute }))).toMatchObject({ credits: 10, reason: null });
    expect(await record(voteOf({ at: start - 12 * hour }))).toMatchObject({ credits: 10 });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 30, votes: 3 });
  });

  it('without a timestamp is not paid twice within a short cooldown', async () => {
    const { record } = await openRecorder();
    const listing = withBase({ cooldownMs: 3 * minute });
    const untimed = voteOf({ at: null });
    expect(await record(untimed, { listing })).toMatchObject({ outcome: 'recorded' });
    expect(await record(untimed, { listing, receivedAt: start + 2 * minute })).toMatchObject({ outcome: 'duplicate' });
    expect(await record(untimed, { listing, receivedAt: start + 3 * minute })).toMatchObject({ outcome: 'recorded' });
  });

  it('without a timestamp repeats a denied one, but not a purchase with a similar key', async () => {
    const { record } = await openRecorder();
    const untimed = voteOf({ at: null });
    expect(await record({ ...untimed, creditsAwarded: false })).toMatchObject({ outcome: 'recorded', credits: 0 });
    expect(await record(untimed, { receivedAt: start + 6 * hour })).toMatchObject({ outcome: 'duplicate' });
    await record(premiumOf({ userId: '2', orderIds: ['an untimed'] }));
    expect(await record({ ...untimed, userId: '2' })).toMatchObject({ outcome: 'recorded', credits: 10 });
  });

  it('creates an effect with the complete announcement', async () => {
    const { store, record } = await openRecorder();
    await record(voteOf());
    const [effect] = await claimDue(store.outbox, start, start + minute, 10);
    expect(effect).toHaveProperty('content', {
      event: 'server_vote',
      test: false,
      listing: 'server',
      userId: '1',
      credits: 10,
      balance: 10,
      reason: null,
      at: start,
      nextVoteAt: start + 12 * hour,
      tier: null,
      giftedBy: null,
      streak: 1,
      calculation: null,
      bonuses: [],
      roles: [],
    });
  });

  it('creates no effect if no channel is configured', async () => {
    const { store, record } = await openRecorder();
    await record(voteOf(), { listing: { ...server, announceChannelId: null } });
    expect(await store.outbox.queuesAfter('', 1, start)).toEqual([]);
  });
});

describe('a premium order', () => {
  it('pays its purchase and each renewal once', async () => {
    const { store, record } = await openRecorder();
    const renewal = premiumOf({ kind: 'subscription.renewed', periodEnd: start + 720 * hour });
    expect(await record(premiumOf())).toMatchObject({ credits: 100 });
    expect(await record(premiumOf())).toMatchObject({ outcome: 'duplicate' });
    expect(await record(renewal)).toMatchObject({ credits: 100 });
    expect(await record(renewal)).toMatchObject({ outcome: 'duplicate' });
    expect(await record({ ...renewal, periodEnd: start + 1_440 * hour })).toMatchObject({ credits: 100 });
    expect(await record({ ...renewal, periodEnd: null, at: start })).toMatchObject({ credits: 100 });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 400, votes: 0 });
  });

  it('is renewed once for each time that its deliveries state, also if that is years back', async () => {
    const { record } = await openRecorder();
    const renewal = (at: number) =>
      record(premiumOf({ kind: 'subscription.renewed', at }), { receivedAt: start + day });
    const outcomes = [await renewal(0), await renewal(1), await renewal(0), await renewal(1)];
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['recorded', 'recorded', 'duplicate', 'duplicate']);
  });

  it('does not take credits back at an expiry or revocation, and pays nothing after a revocation', async () => {
    const { store, record } = await openRecorder();
    await record(premiumOf({ orderIds: ['order', 'purchase'] }));
    expect(await record(premiumOf({ kind: 'subscription.expired', userId: null }))).toMatchObject({
      outcome: 'recorded',
      credits: 0,
    });
    expect(await record(premiumOf({ kind: 'subscription.renewed', periodEnd: start }))).toMatchObject({ credits: 100 });
    expect(
      await record(premiumOf({ kind: 'subscription.revoked', userId: null, orderIds: ['purchase'] })),
    ).toMatchObject({ credits: 0 });
    expect(await record(premiumOf({ kind: 'subscription.renewed', periodEnd: start + hour }))).toMatchObject({
      outcome: 'recorded',
      credits: 0,
      reason: 'order_revoked',
    });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 200 });
  });

  it('is the same under any of its IDs, and pays each event once', async () => {
    const { store, record } = await openRecorder();
    await record(premiumOf({ orderIds: ['A1', 'P1'] }));
    expect(await record(premiumOf({ orderIds: ['P1'] }))).toMatchObject({ outcome: 'duplicate' });
    await record(premiumOf({ orderIds: ['P2'] }));
    expect(await record(premiumOf({ orderIds: ['A2', 'P2'] }))).toMatchObject({ outcome: 'duplicate' });
    const renewal = premiumOf({ kind: 'subscription.renewed', orderIds: ['A1'], periodEnd: start + hour });
    await record(renewal);
    expect(await record({ ...renewal, orderIds: ['P1'] })).toMatchObject({ outcome: 'duplicate' });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 300 });
  });

  it('has an ID that only a repeated delivery contained', async () => {
    const { store, record } = await openRecorder();
    expect(await record(premiumOf({ orderIds: ['A'] }))).toMatchObject({ credits: 100 });
    expect(await record(premiumOf({ orderIds: ['A', 'PA'] }))).toMatchObject({ outcome: 'duplicate' });
    expect(await record(premiumOf({ orderIds: ['PA'] }))).toMatchObject({ outcome: 'duplicate' });

    const revoked = premiumOf({ kind: 'subscription.revoked', userId: null });
    await record({ ...revoked, orderIds: ['B'] });
    expect(await record({ ...revoked, orderIds: ['B', 'PB'] })).toMatchObject({ outcome: 'duplicate' });
    const renewal = premiumOf({ kind: 'subscription.renewed', orderIds: ['PB'], periodEnd: start });
    expect(await record(renewal)).toMatchObject({ credits: 0, reason: 'order_revoked' });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 100 });
  });

  it('that merges two is revoked as one, and does not pay an event of either again', async () => {
    const { record } = await openRecorder();
    await record(premiumOf({ kind: 'subscription.revoked', userId: null, orderIds: ['P3'] }));
    const renewal = premiumOf({ kind: 'subscription.renewed', orderIds: ['A3'], periodEnd: start });
    expect(await record(renewal)).toMatchObject({ credits: 100 });
    const mergingRenewal = premiumOf({ kind: 'subscription.renewed', orderIds: ['A3', 'P3'], periodEnd: start + hour });
    expect(await record(mergingRenewal)).toMatchObject({ credits: 0, reason: 'order_revoked' });

    const purchase = premiumOf({ orderIds: ['J1'] });
    const first = premiumOf({ kind: 'subscription.renewed', orderIds: ['J2'], periodEnd: start });
    await record(purchase);
    await record(first);
    await record(premiumOf({ kind: 'subscription.revoked', userId: null, orderIds: ['J1', 'J2'] }));
    expect(await record({ ...first, periodEnd: start + hour })).toMatchObject({ credits: 0, reason: 'order_revoked' });
    expect(await record(first)).toMatchObject({ outcome: 'duplicate' });
    expect(await record(purchase)).toMatchObject({ outcome: 'duplicate' });
  });

  it('may expire once in each of its periods', async () => {
    const { record } = await openRecorder();
    const expiry = (periodEnd: number) => premiumOf({ kind: 'subscription.expired', periodEnd });
    await record(premiumOf());
    expect(await record(expiry(start))).toMatchObject({ outcome: 'recorded' });
    expect(await record(expiry(start))).toMatchObject({ outcome: 'duplicate' });
    await record(premiumOf({ kind: 'subscription.renewed', periodEnd: start + hour }));
    expect(await record(expiry(start + hour))).toMatchObject({ outcome: 'recorded' });
    const timed = (at: number) => premiumOf({ kind: 'subscription.expired', orderIds: ['timed'], at });
    await record(premiumOf({ orderIds: ['timed'] }));
    expect(await record(timed(start))).toMatchObject({ outcome: 'recorded' });
    expect(await record(timed(start))).toMatchObject({ outcome: 'duplicate' });
    expect(await record(timed(start + hour))).toMatchObject({ outcome: 'recorded' });
  });

  describe('that is a gift', () => {
    const [giver, holder] = ['1', '2'] as const;
    const gift = premiumOf({ userId: holder, isRecipient: true, giftedBy: giver });
    const withoutRecipient = premiumOf({ userId: null, giftedBy: giver });
    const renewed = (periods: number) =>
      ({ kind: 'subscription.renewed', periodEnd: start + periods * day }) as const satisfies Partial<Premium>;

    it('pays its holder, although later events name only the buyer or the giver', async () => {
      const { store, record } = await openRecorder();
      await record(gift);
      await record(premiumOf({ ...renewed(1), userId: giver }));
      await record({ ...withoutRecipient, ...renewed(2) });
      expect(await store.ledgerIn(firstCommunity).account(giver)).toMatchObject({ credits: 0 });
      expect(await store.ledgerIn(firstCommunity).account(holder)).toMatchObject({ credits: 300 });
      const effects = await claimDue(store.outbox, start, start + minute, 10);
      expect(effects).toMatchObject(Array(3).fill({ content: { userId: holder, giftedBy: giver } }));
    });

    it('keeps its holder when an expiry names only the buyer', async () => {
      const { store, record } = await openRecorder();
      await record(gift);
      await record(premiumOf({ kind: 'subscription.expired', userId: giver }));
      await record(premiumOf({ ...renewed(1), userId: giver }));
      expect(await store.records.deliveries({ outcome: 'recorded', limit: 9, before: null })).toMatchObject([
        { kind: 'subscription.renewed', userId: holder },
        { kind: 'subscription.expired', userId: holder },
        { kind: 'premium_purchase', userId: holder },
      ]);
    });

    it('belongs to a recipient who is named only in a later event', async () => {
      const { store, record } = await openRecorder();
      await record(premiumOf({ ...renewed(1), userId: giver }));
      await record(gift);
      await record(premiumOf({ ...renewed(2), userId: giver }));
      expect(await store.ledgerIn(firstCommunity).account(holder)).toMatchObject({ credits: 200 });
    });

    it('is quarantined until its recipient is known, and pays the recipient on replay', async () => {
      const { store, record } = await openRecorder();
      const delivery = { receivedAt: start, family: 'premium', body: '{}' } as const;
      const purchase = await record(withoutRecipient);
      expect(purchase).toMatchObject({ outcome: 'quarantined', reason: expect.stringMatching(/gift/) });
      expect(await record(premiumOf({ ...renewed(1), userId: giver }))).toMatchObject({ outcome: 'quarantined' });
      const replay = () =>
        store.recorder.recordReplay(
          purchase.deliveryId,
          delivery,
          { type: 'event', event: withoutRecipient, listing: server },
          start,
        );
      expect(await replay()).toMatchObject({ outcome: 'quarantined' });
      await record({ ...gift, ...renewed(2) });
      expect(await replay()).toMatchObject({ outcome: 'recorded', credits: 100 });
      expect(await store.ledgerIn(firstCommunity).account(holder)).toMatchObject({ credits: 200 });
      expect(await store.ledgerIn(firstCommunity).account(giver)).toMatchObject({ credits: 0 });
    });

    it('does not belong to the giver if an earlier event named nobody else', async () => {
      const { record } = await openRecorder();
      await record(premiumOf({ ...renewed(1), userId: giver }));
      expect(await record(withoutRecipient)).toMatchObject({ outcome: 'quarantined' });
      expect(await record(premiumOf({ ...renewed(2), userId: giver }))).toMatchObject({ outcome: 'quarantined' });
    });

    it('can end while its holder is unknown', async () => {
      const { store, record } = await openRecorder();
      const ended = await record({ ...withoutRecipient, kind: 'subscription.revoked' });
      expect(ended).toMatchObject({ outcome: 'recorded', credits: 0 });
      expect(await record(gift)).toMatchObject({ reason: 'order_revoked' });
      expect(await store.records.delivery(ended.deliveryId)).toMatchObject({ userId: null });
    });
  });
});

describe('a delivery that is replayed', () => {
  const quarantined = {
    type: 'quarantine',
    kind: 'new',
    reason: 'not understood',
    listing: 'server',
    origin: [],
  } as const;

  it('counts at its time of receipt, and its announcement is created at the replay', async () => {
    const { store } = await openRecorder();
    const delivery = { receivedAt: start, family: 'vote', body: '{}' } as const;
    const { recorder, records, outbox } = store;
    const [event, test] = [await recorder.record(delivery, quarantined), await recorder.record(delivery, quarantined)];
    const later = start + 9 * day;
    const untimed = { type: 'event', event: voteOf({ at: null }), listing: server } as const;
    await recorder.recordReplay(event.deliveryId, delivery, untimed, later);
    const testEvent = { type: 'test', test: { kind: 'server_vote', userId: null }, listing: server } as const;
    await recorder.recordReplay(test.deliveryId, delivery, testEvent, later);
    expect(await records.entries(accountOf('1'), 9)).toMatchObject([{ credits: 10, at: start }]);
    expect(await claimDue(outbox, later - 1, later, 10)).toEqual([]);
    expect(await claimDue(outbox, later, later + minute, 10)).toMatchObject([
      { createdAt: later, content: { at: start, test: false } },
      { createdAt: later, content: { at: start, test: true } },
    ]);
  });
});

describe('any order of votes with and without a timestamp, live or replayed', () => {
  const anyVote = fc.record({
    receivedAt: fc.integer({ min: 0, max: 60 }).map((hours) => start + hours * hour),
    timed: fc.boolean(),
    creditsAwarded: fc.constantFrom(null, true, false, 7),
  });

  it('counts each vote that is a cooldown apart from all counted ones, records none twice, and adds up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyVote, { maxLength: 30, size: 'max' }), async (votes) => {
        const { store, record } = await openRecorder();
        const counted: number[] = [];
        for (const { receivedAt, timed, creditsAwarded } of votes) {
          const cast = voteOf({ at: timed ? receivedAt : null, creditsAwarded });
          const isApart = counted.every((other) => Math.abs(other - receivedAt) >= 12 * hour - 5 * minute);
          if (isApart) counted.push(receivedAt);
          const first = await record(cast, { receivedAt });
          expect(first.outcome === 'recorded' && first.reason !== 'within_cooldown').toBe(isApart);
          expect(await record(cast, { receivedAt: receivedAt + 1_000 })).toMatchObject({ outcome: 'duplicate' });
        }
        const entries = await store.records.entries(accountOf('1'), 1_000);
        const credits = entries.reduce((sum, entry) => sum + entry.credits, 0);
        expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits, votes: counted.length });
        const last = counted.length === 0 ? null : Math.max(...counted);
        expect(await store.ledgerIn(firstCommunity).lastVoteAt('1', server.name)).toBe(last);
      }),
      { numRuns: sampleSize(25) },
    );
  });
});

function withBase(changes: Partial<RewardRules>): typeof server {
  return { ...server, rewards: { ...server.rewards, base: { ...server.rewards.base, ...changes } } };
}
