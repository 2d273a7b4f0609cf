import { day, hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { noCommunity } from '../../../src/core/ledger/account.ts';
import { directMessageKind, isOf, type TypedMessage } from '../../../src/core/outbox/effect-kind.ts';
import { type QueueName } from '../../../src/core/outbox/queue.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDepartures } from '../../../src/features/communities/departures.ts';
import type { DepartureNotice } from '../../../src/features/communities/feature.ts';
import { knownId } from '../../../src/features/communities/listings.ts';
import { openStore } from '../../../src/features/store.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { directMessageQueue } from '../../support/queues.ts';

const [hosted, other, operators] = ['1', '2', '3'];

async function start() {
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  for (const guildId of [hosted, other, operators]) {
    const values = [{ listing: '', path: 'timeZone', after: { value: '"UTC"', sealed: null } }];
    const change = {
      guildId,
      authorId: '7',
      interactionId: guildId,
      at: clock.now(),
      basis: null,
      undoes: null,
      values,
    };
    await store.settings.save(change);
  }
  const communityIds = await prepareCommunities(store.communityIds, []);
  await communityIds.add([hosted]);
  const hostedId = knownId(communityIds.of, hosted);
  const discord = { guilds: new Set([hosted, other]), isDown: false, confirms: true };
  let applied = 0;
  const nudged: string[] = [];
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const context = {
    ...{ store, clock, log, nudge: (queues: readonly QueueName[]) => void nudged.push(...queues) },
    directory: {
      ofGuild: (guildId: string) => ({ id: communityIds.of(guildId) ?? noCommunity, named: [{ name: 'listing' }] }),
    },
    settings: {
      isOperators: (guildId: string) => guildId === operators,
      async refresh() {
        applied += 1;
      },
    },
  };
  async function listGuilds() {
    if (discord.isDown) throw new Error('down');
    return discord.guilds;
  }
  const departures = createDepartures(context, listGuilds, async () => !discord.confirms);
  const states = async () =>
    Object.fromEntries((await store.communities.list()).map(({ guildId, parkedAt }) => [guildId, parkedAt !== null]));
  const sent: (TypedMessage & DepartureNotice)[] = [];
  /** All messages so far. */
  async function messages() {
    const [claimed] = await store.outbox.claim(directMessageQueue('7', hostedId), clock.now(), clock.now() + 1, 1);
    if (claimed === undefined || !isOf(directMessageKind, claimed)) return sent;
    await store.outbox.done([claimed], clock.now());
    sent.push(claimed.content.message as (typeof sent)[number]);
    return messages();
  }
  return { clock, store, discord, departures, lines, states, messages, nudged, hostedId, applied: () => applied };
}

it('parks a community that two checks and Discord say was left, and never one of the operator', async () => {
  const { clock, store, discord, departures, states, applied } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await departures.check();
  expect(await states()).toEqual({ [hosted]: false, [other]: false, [operators]: false });
  await clock.advance(hour);
  discord.isDown = true;
  await expect(departures.check()).rejects.toThrow('down');
  discord.isDown = false;
  discord.confirms = false;
  await departures.check();
  expect(applied()).toBe(0);
  discord.confirms = true;
  const { version } = await store.settings.state();
  await departures.check();
  expect(await states()).toEqual({ [hosted]: true, [other]: false, [operators]: false });
  expect(applied()).toBe(1);
  expect(await store.settings.changedAfter(version)).toMatchObject([{ guildId: hosted }]);
});

it('starts to count again after the bot was seen, and uses the settings again when it is added', async () => {
  const { clock, store, discord, departures, states } = await start();
  const leave = async () => {
    discord.guilds = new Set([other]);
    await departures.check();
  };
  const join = async () => {
    discord.guilds = new Set([hosted, other]);
    await departures.check();
  };
  await leave();
  await join();
  await clock.advance(hour);
  await leave();
  expect(await states()).toMatchObject({ [hosted]: false });
  await clock.advance(hour);
  await leave();
  expect(await states()).toMatchObject({ [hosted]: true });
  await clock.advance(29 * day);
  await join();
  expect(await states()).toMatchObject({ [hosted]: false });
  expect((await store.settings.communities([hosted]))[0]?.settings).toHaveLength(1);
});

it('ends the receiving of votes a check before it deletes a community, and deletes none whose bot has returned', async () => {
  const { clock, store, discord, departures } = await start();
  const values = [{ listing: 'a', path: 'voteSecrets', after: { value: '1', sealed: 'v1.key.text' } }];
  const change = { authorId: '7', at: clock.now(), basis: null, undoes: null, values };
  for (const guildId of [hosted, other])
    await store.settings.save({ ...change, guildId, interactionId: `b${guildId}` });
  const paths = async () =>
    (await store.settings.communities([hosted, other])).map(({ settings }) => settings.map(({ path }) => path));
  discord.guilds = new Set();
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  await clock.advance(30 * day);
  discord.guilds = new Set([other]);
  const { version } = await store.settings.state();
  await departures.check();
  expect(await paths()).toEqual([['timeZone'], ['timeZone', 'voteSecrets']]);
  expect(await store.settings.changedAfter(version)).toHaveLength(2);
  await departures.check();
  expect(await paths()).toEqual([[], ['timeZone', 'voteSecrets']]);
});

it('deletes settings 30 days after a community was parked, those of others never', async () => {
  const { clock, store, discord, departures } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  const remaining = async () =>
    (await store.settings.communities([hosted, other])).map(({ settings }) => settings.length);
  await clock.advance(30 * day - 1);
  await departures.check();
  expect(await remaining()).toEqual([1, 1]);
  await clock.advance(1);
  await departures.check();
  expect(await remaining()).toEqual([0, 1]);
  expect(await store.settings.changes(hosted, { before: null, limit: 9 })).toEqual([]);
});

it('gives notice when it parks a community, 7 days and 1 day before the deletion, each once', async () => {
  const { clock, discord, departures, lines, messages, nudged, hostedId } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  expect(await messages()).toEqual([]);
  await Promise.all([departures.check(), departures.check()]);
  const parkedAt = clock.now();
  const message = { type: 'departure', guildId: hosted, listing: 'listing', parkedAt, deletedAt: parkedAt + 30 * day };
  expect(await messages()).toEqual([{ ...message, notices: 0 }]);
  const counts = [];
  for (const days of [22, 1, 1, 4, 1, 0]) {
    await clock.advance(days * day);
    await departures.check();
    counts.push(lines.filter((line) => line.includes('will be deleted soon')).length);
  }
  expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
  expect(await messages()).toEqual([0, 1, 2].map((notices) => ({ ...message, notices })));
  expect(nudged).toEqual(Array(3).fill(directMessageQueue('7', hostedId)));
});

it('sends a notice only while the bot is away, and only the newest one', async () => {
  const { clock, discord, departures, messages } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  const [first] = await messages();
  if (first?.type !== 'departure') throw new Error('no notice');
  const wanted = (isMember = false) => {
    discord.confirms = !isMember;
    return departures.isNoticeWanted(first);
  };
  expect(await wanted(true)).toBe(false);
  expect(await wanted()).toBe(true);
  await clock.advance(24 * day);
  await departures.check();
  expect(await wanted()).toBe(false);
  discord.guilds.add(hosted);
  await departures.check();
  expect(await wanted()).toBe(false);
});

it('gives no notice to the operator, nor of a community that the operator has parked', async () => {
  const { clock, store, discord, departures, messages, lines } = await start();
  await store.communities.setParked(hosted, { at: clock.now(), by: 'operator' });
  await clock.advance(29 * day);
  await departures.check();
  expect(lines.join('')).toContain('will be deleted soon');
  expect(await messages()).toEqual([]);
  const values = [{ listing: '', path: 'timeZone', after: { value: '"Europe/Rome"', sealed: null } }];
  const change = { guildId: other, authorId: 'tallyhook', interactionId: 'import', at: clock.now(), values };
  await store.settings.save({ ...change, basis: null, undoes: null });
  discord.guilds = new Set();
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  expect(await store.outbox.sizes()).toEqual({ waiting: 0, buried: 0 });
});
