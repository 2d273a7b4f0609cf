import { minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { checkRejectedRequests } from '../../../src/cli/doctor/discord.ts';
import { openStore } from '../../../src/features/store.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

it('doctor names the channels and roles that Discord rejects, and the servers that are paused', async () => {
  const clock = manualClock();
  const now = clock.now();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  expect((await checkRejectedRequests(store, now)).map(({ level }) => level)).toEqual(['pass']);
  const circuit = { guildId: '4', code: 50_013, openedAt: now, probeAt: now };
  const circuits = Array.from({ length: 12 }, (_, index) => {
    return { ...circuit, target: `role 4 ${index}`, reason: `Role ${index} is not below the role of the bot.` };
  });
  await store.circuits.save(circuits, []);
  await store.circuits.addRejections(Math.floor(now / minute), [
    { guildId: '4', count: 499 },
    { guildId: '5', count: 500 },
  ]);
  const findings = await checkRejectedRequests(store, now);
  expect(findings.map(({ level }) => level)).toEqual(['pass', ...Array(12).fill('warn')]);
  const [, paused, first, ...others] = findings.map(({ message }) => message);
  expect(paused).toBe('Server 5 is paused: Discord rejected 500 requests of it in the last ten minutes.');
  expect(first).toContain('in server 4 since 2026-01-01T00:00:00.000Z: Role 0 is not below');
  expect(others.at(-1)).toBe('Discord rejects 2 other channels or roles, too.');
});
