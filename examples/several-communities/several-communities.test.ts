import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'tallyhook';
import { startLocalDiscord } from 'tallyhook/sandbox';
import { expect, it, onTestFinished, vi } from 'vitest';

it('keeps the accounts of two communities apart', async () => {
  const discord = await startLocalDiscord();
  onTestFinished(() => discord.stop());
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, value] of Object.entries({
    ...{ DISCORD_TOKEN: discord.token, DISCORD_API_URL: discord.apiUrl, LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1' },
    ...{ DATABASE_URL: `sqlite:${directory}/tally.db`, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' },
  }))
    vi.stubEnv(name, value);

  const { app, url, welcome } = await import('./main.ts');
  onTestFinished(() => app.stop());
  const userId = discord.members[0]?.id ?? '';
  const vote = async (listing: string, secret: string) => {
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
    const headers = { 'x-webhook-signature': sign(body, secret) };
    return (await fetch(`${url}/webhooks/${listing}`, { method: 'POST', headers, body })).status;
  };
  expect(await vote('harbour', 'secret-of-the-harbour')).toBe(200);
  expect(await vote('quarry', 'secret-of-the-quarry')).toBe(200);
  expect(await vote('quarry', 'secret-of-the-harbour')).toBe(401);

  const quarry = '1190000000000000501';
  expect(await welcome(discord.guildId, userId)).toBe(15);
  expect(await welcome(quarry, userId)).toBe(45);
  expect(await welcome(quarry, userId)).toBe(45);

  const { announcements, general } = discord.channels;
  await vi.waitFor(() => expect(discord.messages(announcements)).toHaveLength(1), 10_000);
  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('credits'), 10_000);
  const reply = await discord.runCommand({ name: 'credits', userId, channelId: general }).settled;
  expect(JSON.stringify(reply)).toContain('**15** credits');
});
