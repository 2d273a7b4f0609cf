import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { registerCommands } from '../../src/discord/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { en } from '../../src/texts/en.ts';
import { bot, knowing, server } from '../commands/known.ts';
import { localDiscord } from './bot.ts';

const listedServer = { name: 'server', lookup: knowing('server', { profile: async () => server }) };
const listedBot = { name: 'bot', lookup: knowing('bot', { profile: async () => bot }) };

async function registering(changes: { guildId?: string } = {}) {
  const discord = await localDiscord();
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const register = (...listings: (typeof listedServer)[]) =>
    registerCommands({
      rest,
      applicationId: discord.applicationId,
      guildId: changes.guildId ?? null,
      commands,
      services: { listings, texts: en },
    });
  const puts = () => discord.requests.filter(({ method }) => method === 'PUT').map(({ path }) => path);
  return { discord, rest, register, puts };
}

describe('registering the commands', () => {
  it('tells Discord once, and not again while nothing changes', async () => {
    const { discord, register, puts } = await registering();
    expect(await register(listedServer, listedBot)).toBe('registered');
    expect(await register(listedServer, listedBot)).toBe('unchanged');
    expect(puts()).toEqual([`/applications/${discord.applicationId}/commands`]);
    expect(
      discord
        .commands()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['canvote', 'reviews', 'stats']);
  });

  it('tells it again when another key changes what is offered', async () => {
    const { discord, register } = await registering();
    await register(listedServer, listedBot);
    expect(await register(listedBot)).toBe('registered');
    expect(
      discord
        .commands()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['canvote', 'stats']);
  });

  it('offers them in guilds only, and to everybody there', async () => {
    const { discord, register } = await registering();
    await register(listedServer);
    for (const command of discord.commands()) {
      expect(command).toMatchObject({ contexts: [0], integration_types: [0], default_member_permissions: null });
    }
  });

  it('keeps to one guild where one is named', async () => {
    const discordGuild = (await localDiscord()).guildId;
    const { discord, register, puts } = await registering({ guildId: discordGuild });
    expect(await register(listedServer)).toBe('registered');
    expect(await register(listedServer)).toBe('unchanged');
    expect(puts()).toEqual([`/applications/${discord.applicationId}/guilds/${discordGuild}/commands`]);
  });

  it('fails when Discord does', async () => {
    const { discord, register } = await registering();
    discord.faults.respond500(1);
    await expect(register(listedServer)).rejects.toThrow();
    expect(await register(listedServer)).toBe('registered');
  });

  it('is refused with a wrong token, and works again with the same connection once the token is right', async () => {
    const discord = await localDiscord();
    const rest = createDiscordRest({ token: 'wrong', apiUrl: discord.apiUrl });
    const services = { listings: [listedServer], texts: en };
    const register = () =>
      registerCommands({ rest, applicationId: discord.applicationId, guildId: null, commands, services });
    await expect(register()).rejects.toThrow('401');
    await expect(register()).rejects.toThrow('401');
  });
});
