import type { APIApplicationCommand, APIInteraction } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { locales } from '../src/locales.ts';
import { inhabited, type Json, localDiscord, rest } from '../testing/local.ts';

const vote = {
  name: 'vote',
  description: 'Votes.',
  description_localizations: { de: 'Stimmt ab.', 'es-ES': 'Vota.', 'en-GB': 'Votes, in Britain.' },
  options: [
    {
      type: 3,
      name: 'kind',
      description: 'A kind.',
      description_localizations: { de: 'Eine Art.' },
      choices: [{ name: 'Server', name_localizations: { de: 'Der Server' }, value: 'server' }],
    },
  ],
};

async function withCommand() {
  const discord = await localDiscord({ rateLimits: false });
  const send = rest(discord);
  const path = `/applications/${discord.applicationId}/commands`;
  const created = await send('POST', path, vote);
  const list = async (query: string, headers: Record<string, string> = {}) => {
    const authorization = `Bot ${discord.token}`;
    const response = await fetch(`${discord.apiUrl}/v10${path}${query}`, { headers: { authorization, ...headers } });
    const [command] = (await response.json()) as readonly APIApplicationCommand[];
    return command;
  };
  return { created, list, send, path };
}

describe('localized commands', () => {
  it('are returned with their dictionaries when they are created, and in lists only on request', async () => {
    const { created, list } = await withCommand();
    const dictionaries = { description_localizations: { de: 'Stimmt ab.' } };
    expect(created.json).toMatchObject(dictionaries);
    expect(await list('?with_localizations=true')).toMatchObject(dictionaries);
    const listed = await list('', { 'x-discord-locale': 'de' });
    expect(JSON.stringify(listed)).not.toContain('_localizations');
    expect(listed).toMatchObject({
      description: 'Votes.',
      description_localized: 'Stimmt ab.',
      options: [{ description_localized: 'Eine Art.', choices: [{ name: 'Server', name_localized: 'Der Server' }] }],
    });
  });

  it.each([
    ['es-419', 'Vota.'],
    ['en-US', 'Votes, in Britain.'],
    ['fr', undefined],
  ])('use the fallback of %s', async (locale, description) => {
    const { list } = await withCommand();
    expect((await list('', { 'x-discord-locale': locale }))?.description_localized).toBe(description);
  });

  it.each([
    ['an unknown locale', { klingon: 'Qapla’' }, 'klingon', 'BASE_TYPE_CHOICES'],
    ['a text that is too long', { de: 'x'.repeat(101) }, 'de', 'BASE_TYPE_MAX_LENGTH'],
  ])('are rejected with %s', async (_, descriptions, field, code) => {
    const { send, path } = await withCommand();
    const answer = await send('POST', path, { ...vote, description_localizations: descriptions });
    expect(answer).toMatchObject({ status: 400, json: { code: 50035 } });
    const errors = answer.json['errors']?.['description_localizations'] as Json;
    expect(errors[field]?.['_errors']?.[0]?.['code']).toBe(code);
  });

  it('count only the longest localization toward the maximum size', async () => {
    const { send, path } = await withCommand();
    const options = (length: number) =>
      Array.from({ length: 25 }, (_, index) => ({
        type: 3,
        name: `option-${index}`,
        description: 'Short.',
        choices: Array.from({ length: 25 }, (_each, choice) => ({
          name: `c${choice}`,
          name_localizations: { de: 'd'.repeat(length), fr: 'f'.repeat(length) },
          value: 'v',
        })),
      }));
    expect((await send('POST', path, { ...vote, options: options(10) })).status).toBe(200);
    const rejected = await send('POST', path, { ...vote, options: options(13) });
    expect(rejected.json['errors']?.['_errors']?.[0]?.['code']).toBe('APPLICATION_COMMAND_TOO_LARGE');
  });
});

describe('languages', () => {
  it('of the member and the guild are sent with every interaction', async () => {
    const { discord, mira, general } = await inhabited();
    const sent: APIInteraction[] = [];
    const run = async (locale?: string) => {
      await discord.runCommand({ name: 'canvote', userId: mira.id, channelId: general, ...(locale ? { locale } : {}) })
        .settled;
      const last = discord.dispatches.findLast(({ t }) => t === 'INTERACTION_CREATE');
      sent.push(last?.d as APIInteraction);
      return sent.at(-1);
    };
    expect(await run()).toMatchObject({ locale: 'en-US', guild_locale: 'en-US', guild: { locale: 'en-US' } });
    discord.guild.setLocale(mira.id, 'ja');
    discord.guild.setGuildLocale('pt-BR');
    expect(await run()).toMatchObject({ locale: 'ja', guild_locale: 'pt-BR', guild: { locale: 'pt-BR' } });
    expect(await run('hi')).toMatchObject({ locale: 'hi', guild_locale: 'pt-BR' });
    const guild = await rest(discord)('GET', `/guilds/${discord.guildId}`);
    expect(guild.json['preferred_locale']).toBe('pt-BR');
    expect(discord.dispatches.findLast(({ t }) => t === 'GUILD_UPDATE')?.d).toMatchObject({
      id: discord.guildId,
      preferred_locale: 'pt-BR',
    });
  });

  it('must be known to Discord', async () => {
    const { discord, mira, general } = await inhabited();
    expect(() => discord.guild.setLocale(mira.id, 'klingon')).toThrow('no language klingon');
    expect(() => discord.guild.setGuildLocale('EN')).toThrow('no language EN');
    const run = () => discord.runCommand({ name: 'canvote', userId: mira.id, channelId: general, locale: '' });
    expect(run).toThrow('no language');
    expect(locales).toHaveLength(32);
  });

  it('survive a restart', async () => {
    const { discord, mira } = await inhabited();
    discord.guild.setLocale(mira.id, 'uk');
    discord.guild.setGuildLocale('ko');
    const again = await localDiscord({ initialState: discord.exportState() });
    expect(again.exportState()).toMatchObject({ locales: { [mira.id]: 'uk' }, guildLocale: 'ko' });
  });
});
