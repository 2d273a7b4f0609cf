import { day, hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { type ManualClock, manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPerform } from '../../../src/core/outbox/perform.ts';
import { Worker } from '../../../src/core/outbox/worker.ts';
import { createReplay, createReplayHandler } from '../../../src/core/receiving/replay.ts';
import { identityOf } from '../../../src/core/tally/listing-context.ts';
import type { Store } from '../../../src/features/store.ts';
import { quarantineReasons } from '../../../src/webhook/rejections.ts';
import { firstCommunity } from '../../support/communities.ts';
import { premiumSecret, serverAndBot } from '../../support/listings.ts';
import { startReceiver } from '../../support/start-receiver.ts';

const start = Date.UTC(2026, 0, 1);
const iso = (at: number) => new Date(at).toISOString();
const voteOf = (userId: string, at: number) => ({ event: 'server_vote', userId, timestamp: iso(at) });

/** Starts the worker of one process. */
function startReplays(store: Store, clock: ManualClock) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const listings = () => serverAndBot();
  const replay = createReplay({ listings, recorder: store.recorder, clock });
  const perform = createPerform([createReplayHandler({ store, replay, listings, clock, log })]);
  const due = new Worker({ outbox: store.outbox, perform, isOwn: (queue) => queue.startsWith('replay '), clock, log });
  onTestFinished(() => due.stop());
  due.start();
  return { due, lines };
}

async function setUp() {
  const clock = manualClock(start);
  const { store, post, lines } = await startReceiver({ clock });
  const credits = async (userId: string) => (await store.ledgerIn(firstCommunity).account(userId)).credits;
  const outcomes = async () =>
    (await store.records.deliveries({ limit: 9, before: null })).map(({ outcome }) => outcome).reverse();
  const asleep = (count = 1) => eventually(() => expect(clock.sleepers()).toBe(count));
  const settled = (expected: readonly string[]) => eventually(async () => expect(await outcomes()).toEqual(expected));
  return { clock, store, post, lines, credits, outcomes, asleep, settled };
}

describe('a vote that is quarantined only because of a timestamp in the future', () => {
  it('is recorded once when that time is reached, with a log message', async () => {
    const { clock, store, post, credits, outcomes, asleep, settled } = await setUp();
    const vote = voteOf('1', start + hour);
    expect((await post('/webhooks/vote', vote)).json).toMatchObject({ outcome: 'quarantined' });
    const { lines } = startReplays(store, clock);
    await asleep();
    await clock.advance(hour - 1);
    await asleep();
    expect(await outcomes()).toEqual(['quarantined']);
    await clock.advance(minute);
    await settled(['recorded']);
    expect(await credits('1')).toBe(10);
    // The log follows the transaction.
    await eventually(() => expect(lines).not.toEqual([]));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 30,
        delivery: 1,
        outcome: 'recorded',
        credits: 10,
        msg: expect.stringContaining('its timestamp was reached'),
      },
    ]);

    expect((await post('/webhooks/vote', vote)).json).toMatchObject({ outcome: 'duplicate' });
    await clock.advance(2 * minute);
    await settled(['recorded', 'duplicate']);
    expect(await credits('1')).toBe(10);
  });

  it('is recorded within a minute after a clock that was behind is corrected', async () => {
    const { clock, store, post, asleep, settled } = await setUp();
    clock.shiftWallClock(-hour);
    await post('/webhooks/vote', voteOf('1', start));
    startReplays(store, clock);
    await asleep();
    clock.shiftWallClock(hour);
    await clock.advance(minute);
    await settled(['recorded']);
  });

  it('is recorded once after a restart and with two processes', async () => {
    const { clock, store, post, credits, asleep, settled } = await setUp();
    await post('/webhooks/vote', voteOf('1', start + hour));
    const { due } = startReplays(store, clock);
    await asleep();
    await due.stop();
    await clock.advance(2 * hour);
    startReplays(store, clock);
    startReplays(store, clock);
    await settled(['recorded']);
    await asleep(2);
    expect(await credits('1')).toBe(10);
  });

  it('is recorded at that time, too, if it was stored for another reason and replayed before', async () => {
    const { clock, store, credits, asleep, settled } = await setUp();
    const [listing] = serverAndBot();
    const body = JSON.stringify(voteOf('1', start + hour));
    const reason = 'no listing';
    const origin = [identityOf(listing)];
    const stored = { type: 'quarantine', kind: 'server_vote', reason, listing: listing.name, origin } as const;
    await store.recorder.record({ receivedAt: start, family: 'vote', body }, stored);
    const replay = createReplay({ listings: () => serverAndBot(), recorder: store.recorder, clock });
    const delivery = await store.records.delivery(1);
    if (delivery === null) throw new Error('not stored');
    expect(await replay(delivery)).toMatchObject({ outcome: 'quarantined', reason: quarantineReasons.aheadOfTime });
    startReplays(store, clock);
    await asleep();
    await clock.advance(hour + minute);
    await settled(['recorded']);
    expect(await credits('1')).toBe(10);
  });

  it('is the only kind of delivery that is replayed automatically', async () => {
    const { clock, store, post, credits, outcomes, asleep, settled } = await setUp();
    await post('/webhooks/vote', { ...voteOf('1', start + hour), creditsAwarded: -1 });
    await post('/webhooks/vote', { event: 'server_vote', timestamp: iso(start) });
    await post('/webhooks/vote', { ...voteOf('2', start), event: 'vote_of_tomorrow' });
    const purchase = { event: 'premium_purchase', orderId: 'o', buyer: { userId: '3' }, timestamp: iso(start + hour) };
    await post('/webhooks/premium', purchase, { secret: premiumSecret });
    expect(await outcomes()).toEqual(Array.from({ length: 4 }, () => 'quarantined'));
    startReplays(store, clock);
    await asleep();
    await clock.advance(2 * hour);
    await settled(['quarantined', 'quarantined', 'quarantined', 'recorded']);
    expect(await credits('3')).toBe(100);
    await clock.advance(2 * hour);
    expect((await outcomes()).filter((outcome) => outcome === 'quarantined')).toHaveLength(3);
  });
});

describe('a clock that is behind', () => {
  const suspicions = (lines: readonly string[]) =>
    lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ behindBy }) => behindBy !== undefined);

  it('is suspected once an hour if all deliveries are ahead of it, and by how much it is behind', async () => {
    const { clock, post, lines } = await setUp();
    clock.shiftWallClock(-2 * day);
    for (const user of ['1', '2', '3', '4']) await post('/webhooks/vote', voteOf(user, start - minute));
    const msg = expect.stringContaining('its clock may be behind');
    expect(suspicions(lines)).toMatchObject([{ level: 40, behindBy: '47 hours 59 minutes', msg }]);
    await clock.advance(hour);
    await post('/webhooks/vote', voteOf('5', start + hour));
    expect(suspicions(lines).at(1)).toMatchObject({ behindBy: '48 hours', behindByMs: 2 * day });
  });

  it('is not suspected because of a sender whose own clock is ahead', async () => {
    const { post, lines } = await setUp();
    for (let round = 0; round < 4; round += 1) {
      await post('/webhooks/vote', voteOf(`1${round}`, start));
      await post('/webhooks/vote', voteOf(`2${round}`, start + hour));
      await post('/webhooks/vote', voteOf(`3${round}`, start + hour));
    }
    expect(suspicions(lines)).toEqual([]);
    await post('/webhooks/vote', voteOf('4', start + 2 * hour));
    expect(suspicions(lines)).toMatchObject([{ behindBy: '2 hours', deliveries: 3 }]);
  });
});
