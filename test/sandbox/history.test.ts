import { systemClock } from '@tallyhook/platform/clock';
import { day } from '@tallyhook/platform/durations';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { follow } from 'local-discord/testing/page-client';
import { expect, it, vi } from 'vitest';
import { wholeSandbox } from '../support/whole-sandbox.ts';

const patience = { timeout: 20_000, interval: 100 };

it('opens on a community of thirty days, once per directory, with nothing of it in the timeline', {
  timeout: 60_000,
}, async () => {
  const directory = tempDir();
  // A Monday in Berlin, just after midnight: the week before cannot be settled yet.
  const offsetMs = Date.parse('2026-11-29T23:20:00Z') - systemClock.now();
  const realClock = { ...systemClock, now: () => systemClock.now() + offsetMs };
  const options = { directory, realClock, history: true };
  const { discord, app, urls, clock, stop } = await wholeSandbox(options);
  const { announcements, general } = discord.channels;
  const [owner, ...voters] = discord.members;
  await vi.waitFor(() => {
    const votes = JSON.stringify(discord.messages(announcements));
    for (const text of [
      'Vote for Lantern Harbour',
      'Most votes this month',
      'Prizes: Most votes of a week',
      'voted for',
    ])
      expect(votes).toContain(text);
    expect(JSON.stringify(discord.messages(general))).toContain('bought **Shout-out**');
    for (const { id } of voters) expect(discord.rolesOf(id)).toContain(discord.roles.veteran);
    expect(voters.filter(({ id }) => discord.rolesOf(id).includes(discord.roles.vip))).toHaveLength(1);
  }, patience);
  const page = await (await follow(urls.page))(({ kind }) => kind === 'full_state');
  expect(page).toMatchObject({ extension: { timeline: [] } });

  const accounts = await Promise.all(voters.map(({ id }) => app.ledger.account(id)));
  expect(accounts.every((account) => account !== null && account.votes >= 10)).toBe(true);
  expect(await app.ledger.account(owner?.id ?? '')).toBe(null);
  const entries = (await Promise.all(voters.map(({ id }) => app.ledger.entries(id, { limit: 100 })))).flat();
  const oldest = Math.min(...entries.map(({ at }) => at));
  expect((clock.now() - oldest) / day).toSatisfy((days: number) => days > 28 && days <= 30);
  expect(entries.filter(({ cause }) => cause === 'prize').length).toBeGreaterThanOrEqual(3);
  expect(entries.filter(({ cause }) => cause === 'purchase')).toHaveLength(2);
  await stop();

  const again = await wholeSandbox(options);
  expect(await Promise.all(voters.map(({ id }) => again.app.ledger.account(id)))).toEqual(accounts);
});
