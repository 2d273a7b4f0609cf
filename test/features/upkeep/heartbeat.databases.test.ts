import { day, hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Added } from '../../../src/core/added-value.ts';
import { accountIdOf } from '../../../src/core/ledger/account.ts';
import { plainRewards } from '../../../src/core/rewards/rules.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { confirmRule } from '../../../src/features/confirmations/store.ts';
import { openStore } from '../../../src/features/store.ts';
import { createHeartbeat } from '../../../src/features/upkeep/upkeep.ts';
import { firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { takeDue } from '../../support/due-effects.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const start = Date.UTC(2026, 0, 5, 12);
const [server] = serverAndBot();
if (server === undefined) throw new Error('no listing');
const rewards = { ...server.rewards, streak: { every: 3, credits: 50, forgive: 0 } };
const listing: ListingContext = { ...server, rewards };

it('notes when receiving was down, over a restart', async () => {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const options = { store, clock, log: pino({ level: 'silent' }) };

  async function advance(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += second) {
      await eventually(() => expect(clock.sleepers()).toBe(1));
      await clock.advance(second);
    }
    await eventually(() => expect(clock.sleepers()).toBe(1));
  }
  function vote(at: number) {
    const event = { family: 'vote', kind: 'server_vote', userId: '1', at, creditsAwarded: null, denial: null } as const;
    const routed = { type: 'event', event: { ...event, target: { kind: 'server', id: null } }, listing } as const;
    return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, routed);
  }

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
    const store = await openStore(newUrl(), storeClock(clock), { thread: false });
    onTestFinished(() => store.close());
    const base = { perVote: 10, perPremium: 0, whenDenied: 0, cooldownMs: 12 * hour, site: { retryHorizonMs: 0 } };
    const ofSite: ListingContext = { ...listing, rewards: { ...plainRewards(base), ...rules } };
    const vote = (at: number | null = null) => {
      const event = {
        family: 'vote',
        kind: 'server_vote',
        userId: '1',
        at,
        creditsAwarded: null,
        denial: null,
      } as const;
      const routed = { event: { ...event, target: { kind: 'server', id: null } }, listing: ofSite } as const;
      return store.recorder.record(
        { receivedAt: clock.now(), family: 'vote', body: '{}' },
        { type: 'event', ...routed },
      );
    };
    const startHeartbeat = () => {
      const heartbeat = createHeartbeat({ store, clock, log: pino({ level: 'silent' }) });
      onTestFinished(() => heartbeat.stop());
      heartbeat.start();
      return heartbeat;
    };
    const beats = (at: number) => eventually(async () => expect(await store.upkeep.lastBeat()).toBe(at));
    const lastVote = () => store.ledgerIn(firstCommunity).lastVoteAt('1', listing.name);
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
      const next = { names: [listing.name], name: listing.name, cooldownMs: 12 * hour, communityId: firstCommunity };
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
