import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { createPrng } from '@tallyhook/platform/prng';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Added } from '../../../src/core/added-value.ts';
import { accountIdOf, createPseudonym } from '../../../src/core/ledger/account.ts';
import { createReplay } from '../../../src/core/receiving/replay.ts';
import type { Counts } from '../../../src/core/records/records.ts';
import { plainRewards } from '../../../src/core/rewards/rules.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { identityOf, type ListingContext } from '../../../src/core/tally/listing-context.ts';
import { confirmRule } from '../../../src/features/confirmations/store.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { Store } from '../../../src/features/store.ts';
import { createHeartbeat, createPruning } from '../../../src/features/upkeep/upkeep.ts';
import { claimDue } from '../../support/claim-due.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { takeDue } from '../../support/due-effects.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { recordVote } from '../../support/record-vote.ts';
import { isConsistent, openLedger } from '../../support/voting.ts';

const start = Date.UTC(2026, 0, 5, 12);
const [server] = serverAndBot();
const listing = server;
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);

async function open(url: string) {
  const clock = manualClock(start);
  const store = await openLedger(url, storeClock(clock));

  const vote = (userId: string, at = clock.now()) =>
    recordVote(store, listing, userId, at, { receivedAt: clock.now() });

  /** A delivery that a replay can record. */
  function quarantine(userId: string) {
    const timestamp = new Date(clock.now()).toISOString();
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
    return store.recorder.record(
      { receivedAt: clock.now(), family: 'vote', body },
      {
        ...{ type: 'quarantine', kind: 'server_vote', reason: 'for a test', listing: 'server' },
        origin: [identityOf(listing)],
      },
    );
  }

  async function replay(id: number) {
    const delivery = await store.records.delivery(id);
    if (delivery === null) throw new Error('no delivery');
    return createReplay({ listings: () => [listing], recorder: store.recorder, clock })(delivery);
  }

  async function finishEffects(limit: number): Promise<void> {
    const claimed = await claimDue(store.outbox, clock.now(), clock.now() + minute, limit);
    if (claimed.length > 0) await store.outbox.done(claimed, clock.now());
  }

  const pruned = { bodies: 0, effects: 0 };
  /** Prunes everything that is older. */
  async function prune(keep: { bodiesMs: number | null; effectsMs: number | null }): Promise<void> {
    const controller = new AbortController();
    const task = createPruning(keep, {
      ...{ store: store.upkeep, clock: { ...clock, sleep: async () => {} }, signal: controller.signal },
      onPruned(kind, rows) {
        pruned[kind] += rows;
      },
    });
    await task();
  }

  /** Counts all rows that were committed before. */
  async function countAll(): Promise<void> {
    await store.counting.advance();
    await clock.advance(16 * minute);
    while (await store.counting.advance());
  }

  return { clock, store, vote, quarantine, replay, finishEffects, prune, pruned, countAll };
}

/** Counts whole tables. */
async function countTables(url: string): Promise<Counts> {
  const snapshot = await openSnapshot(url);
  const { db, run } = snapshot;
  const deliveries = await run(db.selectFrom('deliveries').select('outcome'));
  const effects = await run(db.selectFrom('effects').select('state'));
  const balances = await run(db.selectFrom('balances').select(['credits', 'votes']));
  await snapshot.close();
  const outcome = (name: string) => deliveries.filter((row) => row.outcome === name).length;
  const state = (name: string) => effects.filter((row) => row.state === name).length;
  return {
    deliveries: {
      ...{ recorded: outcome('recorded'), duplicate: outcome('duplicate') },
      ...{ test: outcome('test'), quarantined: outcome('quarantined') },
    },
    effects: { waiting: state('waiting'), buried: state('buried'), done: state('done') },
    users: balances.length,
    credits: balances.reduce((sum, { credits }) => sum + credits, 0),
    votes: balances.reduce((sum, { votes }) => sum + votes, 0),
  };
}

const votesIn = async (store: Store, now: number) =>
  (await store.votesPerDayIn('Asia/Kathmandu')(['server'], now)).reduce((sum, { votes }) => sum + votes, 0);

describeOnEveryDatabase('data', (newUrl) => {
  it(`counts as many as there are after votes, repeats, replays, forgetting and pruning (seed ${seed})`, async () => {
    const url = newUrl();
    const random = createPrng(seed);
    const { clock, store, vote, quarantine, replay, finishEffects, prune, pruned, countAll } = await open(url);
    const quarantined: number[] = [];
    const member = () => String(1_000 + Math.floor(random() * 12));
    for (let step = 0; step < 100; step += 1) {
      const choice = random();
      if (choice < 0.4) await vote(member());
      else if (choice < 0.5) await vote('1001', start);
      else if (choice < 0.6) quarantined.push((await quarantine(member())).deliveryId);
      else if (choice < 0.68) {
        const [id] = quarantined.splice(Math.floor(random() * quarantined.length), 1);
        if (id !== undefined) await replay(id);
      } else if (choice < 0.76) await finishEffects(5);
      else if (choice < 0.82) await countAll();
      else if (choice < 0.87) await prune({ bodiesMs: 10 * hour, effectsMs: 5 * hour });
      else if (choice < 0.91) {
        const pseudonym = createPseudonym();
        await forgetMember(store.memberData, member(), { pseudonym, now: clock.now(), keepVotesMs: day });
      } else await clock.advance(hour);
      if (step % 10 !== 0) continue;
      const { effects, ...counts } = await countTables(url);
      const expected = { ...counts, effects: { ...effects, done: effects.done + pruned.effects } };
      expect(await store.records.counts(), `step ${step}`).toEqual(expected);
    }
    await clock.advance(11 * hour);
    await prune({ bodiesMs: 10 * hour, effectsMs: 5 * hour });
    expect(await votesIn(store, clock.now())).toBe((await store.records.counts()).votes);
    expect(pruned.bodies).toBeGreaterThan(0);
    expect(await isConsistent(url)).toBe(true);
  }, 60_000);

  it('reads only what is not counted yet', async () => {
    const url = newUrl();
    const { clock, store, vote, countAll } = await open(url);
    await vote('1');
    await vote('2');
    await countAll();
    const before = await store.records.counts();
    const snapshot = await openSnapshot(url);
    const counters = await snapshot.run(snapshot.db.selectFrom('counters').selectAll());
    await snapshot.close();
    expect(counters.find(({ name }) => name === 'votes')?.value).toBe(2);
    expect(await votesIn(store, clock.now())).toBe(2);
    await vote('3');
    await clock.advance(minute);
    expect(await store.records.counts()).toMatchObject({ users: before.users + 1, votes: 3 });
    expect(await votesIn(store, clock.now())).toBe(3);
    const counted = await store.records.counts();
    await store.counters.reset();
    expect(await store.records.counts()).toEqual(counted);
    await countAll();
    expect(await store.records.counts()).toEqual(counted);
  });

  it('prunes old bodies and effects, but nothing in quarantine, waiting or buried; repeats are still duplicates', async () => {
    const url = newUrl();
    const { clock, store, vote, quarantine, prune, pruned, countAll, replay } = await open(url);
    const { deliveryId } = await vote('1');
    const waiting = await vote('2');
    const buried = await vote('3');
    const { deliveryId: unread } = await quarantine('4');
    const effects = await claimDue(store.outbox, start, start + minute, 9);
    const of = (id: number) => effects.filter((effect) => effect.deliveryId === id);
    await store.outbox.done(of(deliveryId), start);
    await store.outbox.bury(of(buried.deliveryId), start, 'for a test');
    await clock.advance(100 * day);
    await vote('5');
    // Otherwise they would be missing in the counters.
    await prune({ bodiesMs: null, effectsMs: 30 * day });
    expect(pruned.effects).toBe(0);
    await countAll();
    await prune({ bodiesMs: 90 * day, effectsMs: 30 * day });
    expect(pruned).toEqual({ bodies: 3, effects: 1 });
    expect(await store.records.delivery(deliveryId)).toMatchObject({ body: '', userId: '1', credits: 10 });
    expect(await store.records.effectsOf(deliveryId)).toEqual([]);
    expect(await store.records.effectsOf(waiting.deliveryId)).toMatchObject([{ state: 'waiting' }]);
    expect(await store.records.effectsOf(buried.deliveryId)).toMatchObject([{ state: 'buried' }]);
    expect(await vote('1', start)).toMatchObject({ outcome: 'duplicate' });
    expect(await replay(unread)).toMatchObject({ outcome: 'recorded', credits: 10 });
    expect((await store.records.counts()).effects.done).toBe(1);
    await prune({ bodiesMs: 90 * day, effectsMs: null });
    expect(pruned.bodies).toBe(3);
    expect(await isConsistent(url)).toBe(true);
  });

  it('is pruned by one process at a time, and by another one after the lease of the first', async () => {
    const { store } = await open(newUrl());
    const until = start + minute;
    expect(await store.upkeep.leasePruning(start, null, until)).toBe(true);
    expect(await store.upkeep.leasePruning(start, null, until + 1)).toBe(false);
    expect(await store.upkeep.leasePruning(start, until, until + 2)).toBe(true);
    expect(await store.upkeep.leasePruning(until + 1, null, until + 3)).toBe(false);
    expect(await store.upkeep.leasePruning(until + 2, null, until + minute)).toBe(true);
  });
});

const rewards = { ...server.rewards, streak: { every: 3, credits: 50, forgive: 0 } };
const streakListing: ListingContext = { ...server, rewards };

it('notes when receiving was down, over a restart', async () => {
  const clock = manualClock(start);
  const store = await openLedger(newSqliteUrl(), clock);
  const options = { store, clock, log: pino({ level: 'silent' }) };

  async function advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += second) {
      await eventually(() => expect(clock.sleepers()).toBe(1));
      await clock.advance(second);
    }
    await eventually(() => expect(clock.sleepers()).toBe(1));
  }
  const vote = (at: number) => recordVote(store, streakListing, '1', at);

  const heartbeat = createHeartbeat(options);
  heartbeat.start();
  await vote(start);
  await advance(minute);
  await heartbeat.stop();
  await clock.advance(2 * day);
  const again = createHeartbeat(options);
  onTestFinished(() => again.stop());
  again.start();
  await advance(minute);
  await vote(start + 2 * day + hour);
  // The day in between is forgiven, so this is the third day in a row.
  expect(await vote(start + 3 * day)).toMatchObject({ credits: 60 });
});

describeOnEveryDatabase('a clock that was ahead', (newUrl) => {
  async function open(rules: Partial<ListingContext['rewards']> | Added = {}) {
    const clock = manualClock(start);
    const store = await openLedger(newUrl(), storeClock(clock));
    const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 12 * hour, site: { retryHorizonMs: 0 } };
    const ofSite: ListingContext = { ...streakListing, rewards: { ...plainRewards(base), ...rules } };
    const vote = (at: number | null = null) => recordVote(store, ofSite, '1', at, { receivedAt: clock.now() });
    const startHeartbeat = () => {
      const heartbeat = createHeartbeat({ store, clock, log: pino({ level: 'silent' }) });
      onTestFinished(() => heartbeat.stop());
      heartbeat.start();
      return heartbeat;
    };
    const beats = (at: number) => eventually(async () => expect(await store.upkeep.lastBeat()).toBe(at));
    const lastVote = () => store.ledgerIn(firstCommunity).lastVoteAt('1', streakListing.name);
    return { clock, store, vote, startHeartbeat, beats, lastVote };
  }

  it.each(['while the program runs', 'while it is stopped'])(
    'costs no later vote when it is set back %s',
    async (when) => {
      const { clock, store, vote, startHeartbeat, beats, lastVote } = await open();
      await store.reminders.switchOn(accountIdOf(firstCommunity, '1'), [], start);
      clock.shiftWallClock(5 * hour);
      const heartbeat = startHeartbeat();
      await beats(start + 5 * hour);
      expect(await vote()).toMatchObject({ credits: 10 });
      const isStopped = when === 'while it is stopped';
      if (isStopped) await heartbeat.stop();
      clock.shiftWallClock(-5 * hour);
      if (isStopped) startHeartbeat();
      else await clock.advance(minute);
      const noticedAt = clock.now();
      await beats(noticedAt);
      expect(await lastVote()).toBe(noticedAt);
      const next = {
        names: [streakListing.name],
        name: streakListing.name,
        cooldownMs: 12 * hour,
        communityId: firstCommunity,
      };
      expect(await store.reminders.lastVote('1', next)).toMatchObject({ nextVoteAt: noticedAt + 12 * hour });
      // Its time was stored by the clock that was ahead, so it is checked now.
      expect(await takeDue(store, noticedAt)).toMatchObject([{ content: { userId: '1' } }]);
      expect(await vote()).toMatchObject({ outcome: 'duplicate' });
      clock.shiftWallClock(12.1 * hour);
      expect(await vote()).toMatchObject({ outcome: 'recorded', credits: 10 });
      expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 20, votes: 2 });
    },
  );

  it('costs no later vote of a member whose vote waits for its site, and changes no time that a vote has itself', async () => {
    const waiting = await open(confirmRule.as(true));
    waiting.clock.shiftWallClock(5 * hour);
    await waiting.vote();
    waiting.clock.shiftWallClock(-5 * hour);
    await waiting.store.upkeep.beat(start + 5 * hour);
    waiting.startHeartbeat();
    await waiting.beats(start);
    expect(await waiting.vote()).toMatchObject({ outcome: 'duplicate' });
    waiting.clock.shiftWallClock(12.1 * hour);
    expect(await waiting.vote()).toMatchObject({ outcome: 'recorded' });

    const timed = await open();
    timed.clock.shiftWallClock(5 * hour);
    await timed.vote(start - minute);
    await timed.store.upkeep.beat(start + 5 * hour);
    timed.clock.shiftWallClock(-5 * hour);
    timed.startHeartbeat();
    await timed.beats(start);
    expect(await timed.lastVote()).toBe(start - minute);
  });
});
