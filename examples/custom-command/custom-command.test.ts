import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalDiscord } from 'tallyhook/sandbox';
import { expect, it, onTestFinished, vi } from 'vitest';

it('gives credits once a day', async () => {
  const discord = await startLocalDiscord();
  onTestFinished(() => discord.stop());
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { token, apiUrl, guildId, members, channels } = discord;
  for (const [name, value] of Object.entries({
    ...{ DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl, DISCORD_GUILD_ID: guildId },
    ...{ LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', LOOKUP_SERVER_KEY: 'key', VOTE_WEBHOOK_SECRET: 'secret-secret' },
    ...{ DATABASE_URL: `sqlite:${directory}/tally.db`, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' },
  }))
    vi.stubEnv(name, value);

  const { app } = await import('./main.ts');
  onTestFinished(() => app.stop());
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('daily'), 10_000);
  await vi.waitFor(() => expect(discord.connected).toBe(true), 10_000);
  const userId = members[0]?.id ?? '';
  const use = async (name: string, replies: number, options = {}) => {
    discord.runCommand({ name, channelId: channels.general, userId, options });
    await vi.waitFor(() => expect(discord.messages(channels.general, userId).length).toBe(replies), 10_000);
    return JSON.stringify(discord.messages(channels.general, userId).at(-1));
  };
  expect(await use('daily', 1)).toContain('+5 credits');
  expect(await use('daily', 2)).toContain('Come back tomorrow');
  const credits = await use('credits', 3);
  expect(credits).toContain('Your coins');
  expect(credits).toContain('daily credits');
  expect((await app.ledger.account(userId))?.credits).toBe(5);

  const friend = members[1]?.id ?? '';
  expect(await use('give', 4, { user: friend, credits: 2 })).toContain('You have 3 credits left.');
  expect(await use('give', 5, { user: friend, credits: 4 })).toContain('You do not have 4 credits.');
  expect(await app.ledger.account(friend)).toMatchObject({ credits: 2 });
});
