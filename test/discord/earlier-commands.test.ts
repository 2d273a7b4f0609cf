import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { locales } from '@tallyhook/platform/texts/locale';
import { describe, expect, it } from 'vitest';
import { canvote } from '../../commands/canvote.ts';
import { stats } from '../../commands/stats.ts';
import { registerCommands } from '../../src/discord/registration/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { commandRegistry, connectedBot, localDiscord, until } from '../support/bot.ts';
import { bot, fakeLookup, server } from '../support/command-fixture.ts';
import { runCommand } from '../support/command-line.ts';
import { settings } from '../support/settings.ts';

const listings = [
  { name: 'server', lookup: fakeLookup('server', { profile: async () => server }) },
  { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot }) },
];
const commands = [canvote, stats];
/** Of the program that has the bot, with a name of ours, and in as many languages. */
const theirs = {
  name: 'stats',
  description: 'Statistics of the game.',
  description_localizations: Object.fromEntries(
    locales.filter((locale) => locale !== 'en-US').map((locale) => [locale, `Statistics of the game (${locale}).`]),
  ),
};

type Discord = Pick<Awaited<ReturnType<typeof localDiscord>>, 'applicationId' | 'guildId' | 'token' | 'apiUrl'>;

const routeOf = ({ applicationId, guildId }: Discord, scope: 'guild' | 'global') =>
  `/applications/${applicationId}${scope === 'guild' ? `/guilds/${guildId}` : ''}/commands` as const;

/** As an earlier start has registered them, with a database that is gone. */
async function registerEarlier(discord: Discord, scope: 'guild' | 'global'): Promise<void> {
  const guildId = scope === 'guild' ? discord.guildId : null;
  const registration = { rest: createDiscordRest(discord), applicationId: discord.applicationId, guildId };
  const context = { listings, isShared: false, languages: ownTexts };
  await registerCommands({ ...registration, commands, context, registry: await commandRegistry() });
}

async function namesIn(discord: Discord, scope: 'guild' | 'global'): Promise<readonly string[]> {
  const listed = (await createDiscordRest(discord).get(routeOf(discord, scope))) as readonly {
    readonly name: string;
  }[];
  return listed.map(({ name }) => name).toSorted();
}

describe('commands that a start with another database has left in another scope', () => {
  it('are deleted by the next start, and not those of the program that has the bot', async () => {
    const { discord, rest } = await connectedBot(commands, {
      listings,
      before: async ({ discord: at, rest: of }) => {
        await registerEarlier(at, 'guild');
        await of.delete(`${routeOf(at, 'guild')}/${at.commands().find(({ name }) => name === 'stats')?.id}`);
        await of.post(routeOf(at, 'guild'), theirs);
      },
    });
    await until(() => !discord.commands().some(({ name, guild_id: guildId }) => name === 'canvote' && guildId));
    expect(await namesIn(discord, 'guild')).toEqual(['stats']);
    expect(await rest.get(routeOf(discord, 'guild'))).toMatchObject([{ description: theirs.description }]);
    expect(await namesIn(discord, 'global')).toEqual(['canvote', 'stats']);
  });

  it('are answered when a member uses one before it was found, and then deleted', async () => {
    const { discord, run } = await connectedBot(commands, { listings });
    await registerEarlier(discord, 'guild');
    expect((await run('canvote').response).type).toBeGreaterThan(0);
    await until(() => !discord.commands().some(({ guild_id: guildId }) => guildId));
    expect(await namesIn(discord, 'global')).toEqual(['canvote', 'stats']);
  });
});

describe('tallyhook', { timeout: 120_000 }, () => {
  it.each([
    ['guild', 'global'],
    ['global', 'guild'],
  ] as const)('finds commands left %s, when it registers them %s', async (left, present) => {
    const discord = await localDiscord();
    const start = (scope: 'guild' | 'global', directory: string) =>
      runCommand(['register'], environmentFor(scope), directory);
    const environmentFor = (scope: 'guild' | 'global') => ({
      ...settings(discord),
      UPDATE_CHECK: 'off',
      ...(scope === 'guild' ? { DISCORD_GUILD_ID: discord.guildId } : {}),
    });
    await start(left, tempDir());
    const all = await namesIn(discord, left);
    const place = { guild: `in guild ${discord.guildId}`, global: 'globally' };
    const rest = createDiscordRest(discord);
    const [canvoteId] = discord.commands().flatMap(({ id, name }) => (name === 'canvote' ? [id] : []));
    await rest.delete(`${routeOf(discord, left)}/${canvoteId}`);
    const own = { name: 'canvote', description: 'Can I vote in the election?' };
    const { id } = (await rest.post(routeOf(discord, left), own)) as { readonly id: string };

    const directory = tempDir();
    const doctor = () => runCommand(['doctor'], environmentFor(present), directory);
    const before = (await doctor()).output;
    expect(before).toContain(`are also registered ${place[left]}, by an earlier start`);
    expect(before).toContain(`/canvote (${id}) is also registered ${place[left]}, by tallyhook or another program`);

    const { output } = await start(present, directory);
    expect(output).toContain(`Registered ${place[present]}.`);
    expect(output).toContain(`left ${place[left]} by an earlier tallyhook, and now deleted:`);
    expect(output).toContain(`/canvote (${id}) is also registered ${place[left]}`);
    expect(await namesIn(discord, left)).toEqual(['canvote']);
    expect(await namesIn(discord, present)).toEqual(all);
    expect((await doctor()).output).toContain(`✓ commands       The slash commands are registered ${place[present]}.`);

    const deleted = await runCommand(['register', '--delete', id], environmentFor(present), directory);
    expect([deleted.code, await namesIn(discord, left)]).toEqual([0, []]);
    const unknown = await runCommand(['register', '--delete', '42'], environmentFor(present), directory);
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('no command elsewhere has the id 42') });
  });
});
