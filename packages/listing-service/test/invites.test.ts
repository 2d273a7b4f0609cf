import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { localDiscord } from 'local-discord/testing/local-discord';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDiscordInvites, readBotInvite, readInviteCode } from '../src/invites/discord-invites.ts';
import { seededInviteCode } from '../src/seed/community.ts';
import { botId, serverId } from '../testing/running.ts';

const server = { id: serverId, kind: 'server' } as const;
const bot = { id: botId, kind: 'bot', invite: null } as const;
const addBot = `https://discord.com/oauth2/authorize?client_id=${botId}`;

describe('the code of an invite', () => {
  it('is read from the addresses that Discord gives', () => {
    for (const text of [
      'https://discord.gg/harbour',
      'discord.gg/harbour',
      'http://www.discord.gg/harbour/',
      'HTTPS://Discord.com/invite/harbour?event=1190000000000000001',
      'discord.com/invite/harbour',
    ]) {
      expect(readInviteCode(text), text).toBe('harbour');
    }
  });

  it('is in no other address', () => {
    for (const text of [
      ...['', 'harbour', 'discord.gg/', 'discord.gg/a', `discord.gg/${'a'.repeat(65)}`, 'discord.com/harbour'],
      ...[
        'https://discord.gg.evil.example/harbour',
        'https://evil.example/discord.gg/harbour',
        'evildiscord.gg/harbour',
      ],
      ...['javascript:alert(1)//discord.gg/harbour', 'https://discord.gg@evil.example/harbour'],
      ...['https://discord.gg/harbour/../../users/@me', 'https://discord.gg/har%62our', 'https://discord.gg/harbour#x'],
    ]) {
      expect(readInviteCode(text), text).toBeNull();
    }
  });
});

describe('the address of a bot', () => {
  it('keeps its permissions and scopes, and nothing that leads elsewhere', () => {
    const given = `${addBot}&permissions=268435456&scope=bot+identify+guilds.join&redirect_uri=https%3A%2F%2Fevil.example&response_type=code&state=1&guild_id=5`;
    expect(readBotInvite(given, botId)).toEqual({ invite: `${addBot}&scope=bot&permissions=268435456` });
    expect(readBotInvite(addBot.replace('com/', 'com/api/'), botId)).toEqual({
      invite: `${addBot}&scope=bot+applications.commands`,
    });
    expect(readBotInvite(`${addBot}&permissions=-1&scope=identify`, botId)).toEqual({
      invite: `${addBot}&scope=bot+applications.commands`,
    });
  });

  it('is that of this bot, at Discord', () => {
    expect(readBotInvite(addBot.replace(botId, '5'), botId)).toEqual({ problem: 'other-bot' });
    expect(readBotInvite(`https://discord.com/oauth2/authorize?client_id=5&client_id=${botId}`, botId)).toEqual({
      problem: 'other-bot',
    });
    for (const text of [
      ...['', botId, 'discord.com', addBot.replace('https', 'http'), addBot.replace('com/', 'com:444/')],
      ...[addBot.replace('discord.com', 'discord.com.evil.example'), addBot.replace('authorize', 'token')],
      ...['javascript:alert(1)', `https://discord.com@evil.example/oauth2/authorize?client_id=${botId}`],
    ]) {
      expect(readBotInvite(text, botId), text).toEqual({ problem: 'malformed' });
    }
  });
});

describe('the invite of a server', () => {
  it('is accepted if Discord says that it is the invite of this server', async () => {
    const discord = await localDiscord({
      guild: { id: serverId, name: 'Lantern Harbour', inviteCode: seededInviteCode },
    });
    const { log } = collectingLog();
    const invites = createDiscordInvites({ apiUrl: () => discord.apiUrl, log });
    const text = `discord.gg/${seededInviteCode}`;
    const invite = `https://discord.com/invite/${seededInviteCode}`;
    expect(await invites.check(server, text)).toEqual({ invite });
    expect(await invites.check({ ...server, id: '5' }, text)).toEqual({ problem: 'other-server' });
    expect(await invites.check(server, 'discord.gg/unknown')).toEqual({ problem: 'unknown' });
    expect(await invites.check(server, 'https://example.com')).toEqual({ problem: 'malformed' });
    expect(invites.linkOf({ ...server, invite })).toBe(`${discord.origin}/invite/${seededInviteCode}`);
    const page = async (path: string) => (await fetch(discord.origin + path)).text();
    expect(await page(`/invite/${seededInviteCode}`)).toContain('<h1>Lantern Harbour</h1>');
    expect(await page('/invite/%3Cb%3E')).toContain('<h1>Invite invalid</h1>');
    expect(await page(`/oauth2/authorize?client_id=${discord.applicationId}`)).toContain('in Lantern Harbour already');
    expect(await page('/oauth2/authorize?client_id=5')).toContain('examples');
    discord.faults.outage(true);
    expect(await invites.check(server, text)).toEqual({ problem: 'unavailable' });
  });

  it('is not accepted unless Discord says so', async () => {
    const answers: (readonly [status: number, body: unknown])[] = [
      [200, { guild: { id: serverId }, expires_at: '2026-12-01T00:00:00Z' }],
      [200, { guild: null }],
      [200, { guild: { id: 5 } }],
      [200, '<html>'],
      [302, {}],
      [403, {}],
      [404, { code: 10006 }],
      [429, { retry_after: 5 }],
      [500, {}],
    ];
    const discord = createServer((request, response) => {
      const [status, body] = answers.shift() ?? [500, ''];
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { location: request.url ?? '' }).end(text);
    });
    await new Promise<void>((resolve) => discord.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void discord.close());
    const { log, logged } = collectingLog();
    const url = `http://127.0.0.1:${(discord.address() as AddressInfo).port}/api`;
    const invites = createDiscordInvites({ apiUrl: () => url, log });
    const problems: unknown[] = [];
    while (answers.length > 0) problems.push(await invites.check(server, 'discord.gg/harbour'));
    const names = ['expires', 'other-server', 'unavailable', 'unavailable', 'unavailable', 'unavailable', 'unknown'];
    expect(problems).toEqual([...names, 'limited', 'unavailable'].map((problem) => ({ problem })));
    expect(logged.map(({ msg }) => msg)).toEqual(Array(5).fill('an invite was not checked'));
  });
});

describe('the link', () => {
  const { log } = collectingLog();
  const invites = createDiscordInvites({ apiUrl: () => 'https://discord.com/api', log });

  it('leads to Discord, to add a bot also without its owner', () => {
    expect(invites.linkOf({ ...server, invite: 'https://discord.com/invite/harbour' })).toBe(
      'https://discord.com/invite/harbour',
    );
    expect(invites.linkOf({ ...server, invite: null })).toBeNull();
    expect(invites.linkOf(bot)).toBe(`${addBot}&scope=bot+applications.commands`);
    expect(invites.linkOf({ ...bot, invite: `${addBot}&scope=bot` })).toBe(`${addBot}&scope=bot`);
  });
});
