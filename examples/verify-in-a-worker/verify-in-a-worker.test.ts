import { startLocalDiscord } from 'tallyhook/sandbox';
import { sign } from 'tallyhook/verify';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker, { type Environment } from './main.ts';

async function delivery(payload: object, secret = 'secret'): Promise<Request> {
  const body = JSON.stringify(payload);
  const headers = { 'x-webhook-signature': sign(body, secret) };
  return new Request('https://worker.example.com/', { method: 'POST', headers, body });
}

it('gives a voter the role, and nobody else', async () => {
  const discord = await startLocalDiscord();
  onTestFinished(() => discord.stop());
  const [, voter = '', tester = ''] = discord.members.map(({ id }) => id);
  const environment: Environment = {
    VOTE_SECRET: 'secret',
    DISCORD_TOKEN: discord.token,
    GUILD_ID: discord.guildId,
    ROLE_ID: discord.roles.voter,
    DISCORD_API_URL: discord.apiUrl,
  };
  const vote = { event: 'server_vote', userId: voter, serverId: discord.guildId };
  const statusOf = async (request: Request) => (await worker.fetch(request, environment)).status;

  expect(await statusOf(await delivery(vote, 'another secret'))).toBe(401);
  expect(await statusOf(await delivery({ ...vote, userId: tester, test: true }))).toBe(204);
  expect(discord.rolesOf(voter)).toEqual([]);
  expect(await statusOf(await delivery(vote))).toBe(204);
  expect(await statusOf(await delivery(vote))).toBe(204);
  expect(discord.rolesOf(voter)).toEqual([discord.roles.voter]);
  expect(discord.rolesOf(tester)).toEqual([]);
  expect(await statusOf(await delivery({ ...vote, userId: '1' }))).toBe(204);

  // The service is to send the vote again.
  const print = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => print.mockRestore());
  expect((await worker.fetch(await delivery(vote), { ...environment, DISCORD_TOKEN: 'revoked' })).status).toBe(503);
});
