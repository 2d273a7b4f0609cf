import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'tallyhook';
import { startLocalDiscord } from 'tallyhook/sandbox';
import { expect, it, onTestFinished, vi } from 'vitest';

it('gives a role for a vote, beside the commands of the bot', async () => {
  const discord = await startLocalDiscord();
  onTestFinished(() => discord.stop());
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const secret = 'vote-secret-of-the-example';
  const { token, apiUrl, guildId, roles, members, applicationId } = discord;
  for (const [name, value] of Object.entries({
    ...{ DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl, DISCORD_GUILD_ID: guildId, SUPPORTER_ROLE_ID: roles.regular },
    ...{ LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1', LOOKUP_SERVER_KEY: 'key', VOTE_WEBHOOK_SECRET: secret },
    ...{ DATABASE_URL: `sqlite:${directory}/tally.db`, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'silent' },
  }))
    vi.stubEnv(name, value);
  await fetch(`${apiUrl}/v10/applications/${applicationId}/guilds/${guildId}/commands`, {
    method: 'POST',
    headers: { authorization: `Bot ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ping', description: 'Replies with Pong.' }),
  });

  const { app, client, url } = await import('./main.ts');
  onTestFinished(async () => {
    await app.stop();
    await client.destroy();
  });
  const userId = members[0]?.id ?? '';
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
  await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers: { 'x-webhook-signature': sign(body, secret) } });
  await vi.waitFor(() => expect(discord.rolesOf(userId)).toContain(roles.regular), 10_000);

  await vi.waitFor(() => expect(discord.commands().map(({ name }) => name)).toContain('credits'), 10_000);
  expect(discord.identifies.length).toBe(1);
  const { general: channelId } = discord.channels;
  for (const name of ['ping', 'credits']) discord.runCommand({ name, channelId, userId });
  await vi.waitFor(() => expect(discord.messages(channelId, userId).length).toBe(2), 10_000);
  const replies = discord.messages(channelId, userId);
  expect(replies.map(({ content }) => content)).toContain('Pong!');
  expect(replies.map(({ content }) => content)).not.toContain('No such command.');
  expect(discord.commands().map(({ name }) => name)).not.toContain('help');
  expect(JSON.stringify(replies)).toContain('**10** credits');
});
