import { hour } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createSeenMembers } from '../../../src/features/roles/parts.ts';
import { openStore } from '../../../src/features/store.ts';
import { communityIdsOf } from '../../support/communities.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const start = Date.UTC(2026, 0, 5, 12);
const booster = '700000000000000001';
const voter = '700000000000000002';
const guildId = '613425648685547541';

async function openCommunity() {
  const clock = manualClock(start);
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const rewards = {
    vote: 10,
    multipliers: [{ factor: 1.5, role: booster }],
    voterRole: { role: voter, for: '12h' },
  };
  const { listings } = loadConfig(environmentWith([{ ...harbour, guildId, rewards }]));
  const directory = createDirectory(listings, communityIdsOf(listings));
  const routedTo = () => directory.ofGuild(guildId)?.listings[0];
  const seen = createSeenMembers({
    store,
    directory,
    nudge: () => {},
    clock,
    log: pino({ level: 'silent' }),
  });
  async function vote(at: number) {
    const event = { family: 'vote', kind: 'server_vote', userId: '1', at, creditsAwarded: null, denial: null } as const;
    const listing = routedTo();
    if (listing === undefined) throw new Error('no listing');
    const routed = { type: 'event', event: { ...event, target: { kind: 'server', id: null } }, listing } as const;
    return store.recorder.record({ receivedAt: at, family: 'vote', body: '{}' }, routed);
  }
  const waiting = async () => (await store.records.counts()).effects.waiting;
  return { clock, store, seen, vote, waiting };
}

it('multiplies votes of a member who was last seen with the role', async () => {
  const { store, seen, vote } = await openCommunity();
  expect(await vote(start)).toMatchObject({ credits: 10 });
  seen({ userId: '1', guildId, roles: [voter, booster] });
  await store.probe();
  expect(await vote(start + 12 * hour)).toMatchObject({ credits: 15 });
  // In direct messages the roles are unknown.
  seen({ userId: '1', guildId, roles: null });
  expect(await vote(start + 24 * hour)).toMatchObject({ credits: 15 });
  seen({ userId: '1', guildId, roles: [voter] });
  await store.probe();
  expect(await vote(start + 36 * hour)).toMatchObject({ credits: 10 });
});

it('repairs granted roles, at most once an hour', async () => {
  const { clock, store, seen, vote, waiting } = await openCommunity();
  await vote(start);
  const role = { guildId, userId: '1', role: voter };
  await store.roles.settleRole(role, 'applied', start);
  const before = await waiting();
  seen({ userId: '1', guildId, roles: null });
  await eventually(async () => expect(await waiting()).toBe(before + 1));
  await store.roles.settleRole(role, 'applied', start);
  seen({ userId: '1', guildId, roles: null });
  seen({ userId: '2', guildId, roles: null });
  await store.probe();
  expect(await waiting()).toBe(before + 1);
  await clock.advance(hour);
  seen({ userId: '1', guildId, roles: null });
  await eventually(async () => expect(await waiting()).toBe(before + 2));
});

it('gives back at once what a member who has returned lacks, and asks Discord for nothing that is there', async () => {
  const { clock, store, seen, vote, waiting } = await openCommunity();
  await vote(start);
  const role = { guildId, userId: '1', role: voter };
  await store.roles.settleRole(role, 'applied', start);
  const before = await waiting();
  const seenWith = async (roles: readonly string[], place = guildId) => {
    seen({ userId: '1', guildId: place, roles });
    await store.probe();
    await store.probe();
    return (await waiting()) - before;
  };
  expect(await seenWith([voter])).toBe(0);
  await clock.advance(hour);
  expect(await seenWith([voter])).toBe(0);
  // The roles of another server say nothing.
  expect(await seenWith([], '613425648685547542')).toBe(0);
  expect(await seenWith([])).toBe(1);
  await store.roles.settleRole(role, 'applied', start);
  // Discord may not give it: that is not tried with every command.
  expect(await seenWith([])).toBe(1);
  expect(await seenWith([voter])).toBe(1);
  expect(await seenWith([])).toBe(2);
  await store.roles.settleRole(role, 'applied', start);
  // A role that should have been removed is, too.
  await clock.advance(12 * hour);
  expect(await seenWith([voter])).toBe(3);
});
