import { hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createMetrics } from '../../../src/core/metrics.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import { createUpkeep } from '../../../src/features/upkeep/upkeep.ts';
import { serverAndBot } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const start = Date.UTC(2026, 0, 5, 12);
const guildId = '613425648685547541';
const voter = '700000000000000002';
const [server] = serverAndBot();
if (server === undefined) throw new Error('no listing');
const listing: ListingContext = {
  ...server,
  rewards: {
    ...server.rewards,
    voterRole: { role: voter, forMs: 12 * hour },
    streak: { every: 3, credits: 50, forgive: 0 },
  },
  community: { ...server.community, guildId },
};

async function startUpkeep() {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  const upkeep = createUpkeep({
    ...{
      store,
      keep: { bodiesMs: null, effectsMs: null },
      metrics: createMetrics(),
    },
    ...{ clock, log: pino({ level: 'silent' }) },
  });
  onTestFinished(async () => {
    await upkeep.stop();
    await store.close();
  });
  /** Advances the clock in steps, so that every loop runs in between. */
  async function advance(ms: number, step = second): Promise<void> {
    for (let passed = 0; passed < ms; passed += step) {
      await eventually(() => expect(clock.sleepers()).toBe(4));
      await clock.advance(step);
    }
    await eventually(() => expect(clock.sleepers()).toBe(4));
  }
  return { clock, store, upkeep, advance };
}

function vote(store: Store, userId: string, at: number) {
  const event = { family: 'vote', kind: 'server_vote', userId, at, creditsAwarded: null, denial: null } as const;
  const routed = { type: 'event', event: { ...event, target: { kind: 'server', id: null } }, listing } as const;
  return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, routed);
}

const roleEffects = async (store: Store) =>
  (await store.records.effects({ state: 'waiting', before: null, limit: 100 })).filter(({ kind }) => kind === 'role')
    .length;

it('plans the removal of a role for the end of its last grant', async () => {
  const { store } = await startUpkeep();
  await vote(store, '1', start - 12 * hour + 30 * second);
  await vote(store, '1', start + second);
  const role = { guildId, userId: '1', role: voter };
  await store.roles.settleRole(role, 'applied', start);
  expect(await store.outbox.enqueuePlanned(start + 12 * hour, 9)).toEqual([]);
  expect(await store.outbox.enqueuePlanned(start + 12 * hour + second, 9)).toHaveLength(1);
  // One that could not be removed is left to the repairs.
  await store.roles.settleRole(role, 'failed', start + 13 * hour);
  expect(await store.outbox.enqueuePlanned(start + 90 * hour, 9)).toEqual([]);
});

it('repairs the roles of all members slowly', async () => {
  const { store, upkeep, advance } = await startUpkeep();
  for (let member = 1; member <= 15; member += 1) {
    await vote(store, String(member), start);
    await store.roles.settleRole({ guildId, userId: String(member), role: voter }, 'applied', start);
  }
  upkeep.start();
  await advance(second);
  expect(await roleEffects(store)).toBe(25);
  await advance(minute);
  expect(await roleEffects(store)).toBe(30);
});
