import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { openStore } from '../../../src/features/store.ts';
import { createHeartbeat } from '../../../src/features/upkeep/heartbeat.ts';
import { day, hour, minute, second } from '../../../src/platform/durations.ts';
import { eventually } from '../../support/eventually.ts';
import { serverAndBot } from '../../support/listings.ts';
import { manualClock } from '../../support/manual-clock.ts';
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
