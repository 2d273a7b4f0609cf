import { GuildMember, type Interaction, ApplicationCommandOptionType as Type } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited } from '../testing/local.ts';

const every = [
  { type: Type.String, name: 'word', description: 'A word.', minLength: 2, maxLength: 5 },
  { type: Type.Integer, name: 'count', description: 'A whole number.' },
  { type: Type.Number, name: 'share', description: 'A number.', maxValue: 1 },
  { type: Type.Boolean, name: 'sure', description: 'Yes or no.' },
  { type: Type.User, name: 'who', description: 'Somebody.' },
  { type: Type.Channel, name: 'where', description: 'A channel.', channelTypes: [0] },
  { type: Type.Role, name: 'as', description: 'A role.' },
  { type: Type.Mentionable, name: 'to', description: 'Somebody, or a role.' },
  { type: Type.Attachment, name: 'file', description: 'A file.' },
] as const;

/** Replies with the options as discord.js parsed them. */
async function echo(interaction: Interaction): Promise<void> {
  if (!interaction.isChatInputCommand()) return;
  const { options } = interaction;
  const to = options.getMentionable('to');
  const file = options.getAttachment('file');
  await interaction.reply({
    content: JSON.stringify({
      path: [options.getSubcommandGroup(false), options.getSubcommand(false)],
      word: options.getString('word'),
      count: options.getInteger('count'),
      share: options.getNumber('share'),
      sure: options.getBoolean('sure'),
      who: options.getUser('who')?.username ?? null,
      isMember: options.getMember('who') !== null,
      where: options.getChannel('where')?.name ?? null,
      as: options.getRole('as')?.name ?? null,
      to: to instanceof GuildMember ? to.user.username : to && 'name' in to ? to.name : null,
      file: file && `${file.name} ${file.contentType} ${await (await fetch(file.url)).text()}`,
    }),
    allowedMentions: { parse: [] },
  });
}

const bot: Repertoire = {
  commands: [
    { name: 'all', description: 'Takes everything.', options: every },
    {
      name: 'nested',
      description: 'Goes deep.',
      options: [
        {
          type: Type.SubcommandGroup,
          name: 'group',
          description: 'A group.',
          options: [{ type: Type.Subcommand, name: 'leaf', description: 'A leaf.', options: [every[0]] }],
        },
      ],
    },
  ],
  answer: echo,
};

async function withEcho() {
  const { discord, mira, tomas, general } = await inhabited({}, bot);
  const run = (name: string, options: Parameters<typeof discord.runCommand>[0]['options'] = {}) =>
    discord.runCommand({ name, userId: mira.id, channelId: general, options });
  const said = async (...use: Parameters<typeof run>) => JSON.parse((await run(...use).settled).content) as unknown;
  return { discord, tomas, general, run, said };
}

describe('the options of a command', () => {
  it('reach the bot with any type', async () => {
    const { discord, tomas, general, said } = await withEcho();
    const file = { filename: 'note.txt', contentType: 'text/plain', bytes: Buffer.from('hello') };
    const given = { word: 'four', count: 3, share: 0.5, sure: true };
    const named = { who: tomas.id, where: general, as: discord.roles.voter, to: discord.roles.premium };
    expect(await said('all', { ...given, ...named, file })).toEqual({
      path: [null, null],
      ...given,
      who: 'tomas.k',
      isMember: true,
      where: 'general',
      as: 'Member',
      to: 'Premium',
      file: 'note.txt text/plain hello',
    });
    expect(await said('all', { to: tomas.id })).toMatchObject({ to: 'tomas.k', who: null, isMember: false });
  });

  it('are nested below a subcommand in a group', async () => {
    const { said } = await withEcho();
    expect(await said('nested group leaf', { word: 'deep' })).toMatchObject({ path: ['group', 'leaf'], word: 'deep' });
  });

  it.each([
    ['a text that is too short', { word: 'a' }, 'word is too short'],
    ['a text that is too long', { word: 'abcdef' }, 'word is too long'],
    ['a number that is too large', { share: 1.5 }, 'share is more than 1'],
    ['something else than yes or no', { sure: 'yes' }, 'sure is not true or false'],
    ['an unknown channel', { where: '1' }, 'where is not a channel'],
    ['an unknown role', { as: '1' }, 'as is not a role'],
    ['nobody to mention', { to: '1' }, 'to is not mentionable'],
    ['a text for a file', { file: 'note.txt' }, 'file is not a file'],
  ])('cannot be %s', async (_what, options, complaint) => {
    const { run } = await withEcho();
    expect(() => run('all', options)).toThrow(complaint);
  });

  it('include the resolved objects, as partial as on Discord', async () => {
    const { discord, tomas, general, run } = await withEcho();
    await run('all', { who: tomas.id, where: general }).settled;
    const { d } = discord.dispatches.findLast(({ t }) => t === 'INTERACTION_CREATE') ?? {};
    const { members, channels } = (d as { data: { resolved: Record<string, Record<string, object>> } }).data.resolved;
    expect(members?.[tomas.id]).toMatchObject({ permissions: expect.stringMatching(/^\d+$/) });
    for (const name of ['user', 'deaf', 'mute']) expect(members?.[tomas.id]).not.toHaveProperty(name);
    expect(channels?.[general]).toMatchObject({ name: 'general', permissions: expect.any(String) });
    expect(channels?.[general]).not.toHaveProperty('permission_overwrites');
  });
});
