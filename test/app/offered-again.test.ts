import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { expect, it, vi } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../src/features/store.ts';
import { startInstallation } from '../support/start-installation.ts';

const patience = { timeout: 30_000, interval: 50 };

it('commands are compared with those at Discord after a setting that they depend on, and after no other', {
  timeout: 90_000,
}, async () => {
  const { discord, post, app, environment } = await startInstallation({ SETTINGS_KEY: 'ab'.repeat(32) });
  const { guildId, members } = discord;
  const authorId = members[0]?.id ?? '';
  const names = () => discord.commands().map(({ name }) => name);
  const readings = () =>
    discord.requests.filter(({ method, path }) => method === 'GET' && path.includes('/commands')).length;
  await vi.waitFor(() => expect(names()).toEqual(expect.arrayContaining(['setup', 'vote'])), patience);
  const store = await openStore(loadConfig(environment).databaseUrl, systemClock, { thread: false });
  const save = (path: string, value: unknown, listing = '') =>
    store.settings.save({
      ...{
        guildId,
        authorId,
        interactionId: `${path} ${JSON.stringify(value)}`,
        at: Date.now(),
        basis: null,
        undoes: null,
      },
      values: [{ listing, path, after: { value: JSON.stringify(value), sealed: null } }],
    });
  let voters = 0;
  /** What a new member gets for a vote by the rules in effect. */
  const paid = async () => {
    voters += 1;
    const userId = String(300_000_000_000_000_000n + BigInt(voters));
    await post('/webhooks/server/vote', { event: 'server_vote', userId, timestamp: new Date().toISOString() });
    return (await app.ledger.account(userId))?.credits;
  };

  const change = async (perVote: number) => {
    await save('rewards.vote', perVote, 'server');
    await vi.waitFor(async () => expect(await paid()).toBe(perVote), patience);
  };
  /** The readings once there has been none for a second. */
  const settledReadings = async () => {
    for (let before = -1; before !== readings(); await pause(1_000)) before = readings();
    return readings();
  };

  // Once the names of all listings are known, which are choices of options.
  let credits = 10;
  await vi.waitFor(async () => {
    const before = await settledReadings();
    credits += 1;
    await change(credits);
    expect(await settledReadings()).toBe(before);
  }, patience);

  const before = readings();
  await save('shop', [{ id: 'lamp', name: 'A lamp', price: 5, manual: true }]);
  await vi.waitFor(() => expect(names()).toContain('shop'), patience);
  expect(readings()).toBeGreaterThan(before);
  await store.close();
});
