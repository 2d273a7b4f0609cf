import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDepartures } from '../../src/app/settings/departures.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { createLog } from '../../src/platform/log.ts';
import { openStore } from '../../src/store/store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { tempDir } from '../support/temp-dir.ts';

const [hosted, other, operators] = ['1', '2', '3'];

async function start() {
  const clock = manualClock();
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, clock, { thread: false });
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
  const discord = { guilds: new Set([hosted, other]), isDown: false, confirms: true };
  let applied = 0;
  const lines: string[] = [];
  const log = createLog({ level: 'info', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const departures = createDepartures({
    ...{ guilds: store.guilds, clock, log },
    async listGuilds() {
      if (discord.isDown) throw new Error('down');
      return discord.guilds;
    },
    isMember: async () => !discord.confirms,
    isOperators: (guildId) => guildId === operators,
    async apply() {
      applied += 1;
    },
  });
  const states = async () =>
    Object.fromEntries((await store.guilds.list()).map(({ guildId, parkedAt }) => [guildId, parkedAt !== null]));
  return { clock, store, discord, departures, lines, states, applied: () => applied };
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

it('gives notice 7 days and 1 day before the deletion, each once', async () => {
  const { clock, discord, departures, lines } = await start();
  discord.guilds = new Set([other]);
  await departures.check();
  await clock.advance(hour);
  await departures.check();
  const notices = () => lines.filter((line) => line.includes('will be deleted soon')).length;
  const counts = [];
  for (const days of [22, 1, 1, 4, 1, 0]) {
    await clock.advance(days * day);
    await departures.check();
    counts.push(notices());
  }
  expect(counts).toEqual([0, 1, 1, 1, 2, 2]);
});
