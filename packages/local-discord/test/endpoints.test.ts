import { expect, it } from 'vitest';
import { localDiscord, rest } from '../testing/local.ts';

/** Requests every endpoint once: packages/local-discord/testing/discord-watch.ts validates the responses against Discord's OpenAPI document. */
it('responds to every valid request', async () => {
  const discord = await localDiscord({ rateLimits: false });
  const ask = rest(discord);
  const { applicationId, guildId, channels, roles } = discord;
  const [member] = discord.members;
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, expect.toSatisfy((status) => status < 300)]);
    return answer.id;
  };

  for (const path of ['/gateway', '/gateway/bot', '/applications/@me', '/oauth2/applications/@me', '/users/@me']) {
    await done('GET', path);
  }
  const command = { name: 'vote', description: 'Votes.' };
  const option = { type: 3, name: 'sort', description: 'How.', required: null, choices: null, min_length: null };
  for (const base of [
    `/applications/${applicationId}/commands`,
    `/applications/${applicationId}/guilds/${guildId}/commands`,
  ]) {
    await done('PUT', base, [command]);
    const id = await done('POST', base, {
      ...command,
      name: 'stats',
      default_member_permissions: '8',
      options: [option],
    });
    await done('GET', base);
    await done('GET', `${base}/${id}`);
    await done('PATCH', `${base}/${id}`, { description: 'Shows.', options: null });
    await done('DELETE', `${base}/${id}`);
  }

  for (const path of ['/users/@me/guilds', `/users/${member?.id}`, `/guilds/${guildId}?with_counts=true`])
    await done('GET', path);
  for (const part of ['channels', 'roles', `members/${member?.id}`]) await done('GET', `/guilds/${guildId}/${part}`);
  const role = `/guilds/${guildId}/members/${member?.id}/roles/${roles.voter}`;
  await done('PUT', role);
  await done('DELETE', role);

  const direct = await done('POST', '/users/@me/channels', { recipient_id: member?.id });
  for (const channelId of [channels.general, direct]) {
    const base = `/channels/${channelId}`;
    await done('GET', base);
    await done('POST', `${base}/typing`);
    const id = await done('POST', `${base}/messages`, { content: 'hello', nonce: 1 });
    await done('GET', `${base}/messages?limit=1`);
    await done('GET', `${base}/messages/${id}`);
    await done('PATCH', `${base}/messages/${id}`, { content: 'goodbye' });
    await done('DELETE', `${base}/messages/${id}`);
  }
});
