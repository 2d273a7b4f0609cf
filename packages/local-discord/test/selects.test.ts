import type { Interaction, TextChannel } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { faultAt } from '../testing/api.ts';
import type { Repertoire } from '../testing/bot.ts';
import { inhabited, rest } from '../testing/local.ts';
import { selectsBot } from '../testing/selects-bot.ts';

async function withModal(name: string) {
  const { discord, mira, tomas, general } = await inhabited({}, selectsBot);
  const opened = discord.runCommand({ name, userId: mira.id, channelId: general });
  await opened.response;
  const submit = (values: Readonly<Record<string, string | readonly string[]>>) =>
    discord.submitModal({ interactionId: opened.id, userId: mira.id, values });
  return { discord, mira, tomas, general, submit };
}

describe('the selects of a modal', () => {
  it('are read by discord.js with their users, roles and channels', async () => {
    const { discord, mira, tomas, general, submit } = await withModal('award');
    const { settled } = submit({
      to: [mira.id, tomas.id],
      role: [discord.roles.vip],
      where: [general],
      kind: ['key'],
    });
    expect(JSON.parse((await settled).content)).toEqual({
      to: ['mira', 'tomas.k'],
      role: ['VIP'],
      where: [general],
      kind: ['key'],
      ids: [2, 1, 4, 6, 8],
    });
  });

  it('may be empty if they are optional', async () => {
    const { tomas, general, submit } = await withModal('award');
    const { settled } = submit({ to: [tomas.id], where: [general], kind: ['vip'] });
    expect(JSON.parse((await settled).content)).toMatchObject({ to: ['tomas.k'], role: [] });
  });

  it.each<[string, Record<string, string[]>, string]>([
    ['without a required user', { to: [] }, 'requires 1 to 2 values'],
    ['with a user who does not exist', { to: ['1'] }, 'does not have this option'],
    ['with two roles', { role: ['1', '2'] }, 'requires 0 to 1 values'],
    ['with a role as channel', { where: ['1190000000000000022'] }, 'does not have this option'],
  ])('cannot be submitted %s', async (_what, changes, complaint) => {
    const { tomas, general, submit } = await withModal('award');
    const values = { to: [tomas.id], where: [general], kind: ['vip'] };
    expect(() => submit({ ...values, ...changes })).toThrow(complaint);
  });

  it('of mentionables return users, members and roles', async () => {
    const { discord, tomas, submit } = await withModal('who');
    const { settled } = submit({ who: [tomas.id, discord.roles.voter], why: '' });
    expect(JSON.parse((await settled).content)).toEqual({
      users: ['tomas.k'],
      members: 1,
      roles: ['Member'],
      why: '',
      types: [18, 18],
    });
  });

  it('do not offer a user who has left the guild', async () => {
    const { discord, tomas, submit } = await withModal('who');
    discord.guild.leave(tomas.id);
    expect(() => submit({ who: [tomas.id] })).toThrow('does not have this option');
  });
});

/** Opens the modal that the test has set. */
function modalOpener(): Repertoire & { modal: object; code: unknown } {
  return {
    modal: {},
    code: null,
    commands: [{ name: 'open', description: 'Opens a form.' }],
    async answer(interaction: Interaction) {
      if (!interaction.isChatInputCommand()) return;
      this.code = null;
      await interaction.showModal(this.modal as never).catch((error: { code: number }) => {
        this.code = error.code;
      });
      if (this.code !== null) await interaction.reply('rejected');
    },
  };
}

describe('a modal', () => {
  const label = (component: object, more: object = {}) => ({ type: 18, label: 'Field', component, ...more });
  const text = (customId: string) => ({ type: 4, custom_id: customId, style: 1 });
  const users = { type: 5, custom_id: 'u' };
  it.each<[string, readonly object[]]>([
    ['has more than five components', Array.from({ length: 6 }, (_, index) => label(text(`${index}`)))],
    ['has none', []],
    ['has a disabled select', [label({ ...users, disabled: true })]],
    ['has a required select of at least 0 values', [label({ ...users, min_values: 0 })]],
    ['has a select with the minimum above the maximum', [label({ ...users, min_values: 3, max_values: 2 })]],
    ['has a component id twice', [label(text('a'), { id: 3 }), label(text('b'), { id: 3 })]],
    ['has a custom id twice', [label(text('a')), label(text('a'))]],
    ['has a label without component', [{ type: 18, label: 'Field' }]],
    ['has a label of 46 characters', [label(text('a'), { label: 'x'.repeat(46) })]],
    ['has a button', [label({ type: 2, style: 1, label: 'x', custom_id: 'b' })]],
  ])('is rejected if it %s', async (_what, components) => {
    const bot = modalOpener();
    bot.modal = { custom_id: 'm', title: 'Form', components };
    const answer = bot.answer.bind(bot);
    const { discord, mira, general } = await inhabited({}, { commands: bot.commands, answer });
    const used = discord.runCommand({ name: 'open', userId: mira.id, channelId: general });
    expect((await used.settled).content).toBe('rejected');
    expect(bot.code).toBe(50035);
  });
});

describe('a select of a message', () => {
  const row = (component: object) => [{ type: 1, components: [component] }];

  it('may have default values and channel types, which the message returns', async () => {
    const { discord, bot, mira, tomas, general } = await inhabited();
    const channel = bot.channels.cache.get(general) as TextChannel;
    const select = { type: 5, custom_id: 'u', default_values: [{ id: tomas.id, type: 'user' }] };
    const sent = await channel.send({ components: row(select) as never });
    expect(discord.messages(general)[0]?.components).toMatchObject(row({ ...select, min_values: 1, max_values: 1 }));
    const channels = { type: 8, custom_id: 'c', channel_types: [2] };
    await sent.edit({ components: row(channels) as never });
    const use = { messageId: sent.id, customId: 'c', userId: mira.id, values: [general] };
    expect(() => discord.select(use)).toThrow('does not have this option');
    await sent.edit({ components: row({ ...channels, channel_types: [0, 2] }) as never });
    expect(discord.select(use).id).toMatch(/^\d+$/);
    const created = discord.dispatches.filter(({ t }) => t === 'INTERACTION_CREATE').at(-1);
    expect(created?.d).toMatchObject({ data: { id: 2, component_type: 8, resolved: { channels: { [general]: {} } } } });
  });

  it.each<[string, object, (string | number)[], string]>([
    [
      'a default of another kind',
      { type: 6, default_values: [{ id: '1', type: 'user' }] },
      ['default_values', 0, 'type'],
      'BASE_TYPE_CHOICES',
    ],
    [
      'too few defaults',
      { type: 5, min_values: 2, max_values: 3, default_values: [{ id: '1', type: 'user' }] },
      ['default_values'],
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'its minimum above its maximum',
      { type: 5, min_values: 2 },
      ['min_values'],
      'SELECT_COMPONENT_MIN_VALUES_EXCEEDS_MAX_VALUES',
    ],
  ])('is rejected with %s', async (_what, select, path, code) => {
    const { discord, general } = await inhabited();
    const components = row({ custom_id: 's', ...select });
    const { status, json } = await rest(discord)('POST', `/channels/${general}/messages`, { components });
    expect(status).toBe(400);
    expect(faultAt(json, 'components', 0, 'components', 0, ...path)).toBe(code);
  });

  it('offers only its recipient and the bot in direct messages', async () => {
    const { discord, bot, mira, tomas } = await inhabited();
    const user = await bot.users.fetch(tomas.id);
    const { id } = await user.send({ components: row({ type: 7, custom_id: 's' }) as never });
    const use = (value: string) => discord.select({ messageId: id, customId: 's', userId: tomas.id, values: [value] });
    expect(() => use(mira.id)).toThrow('does not have this option');
    expect(() => use(discord.roles.voter)).toThrow('does not have this option');
    expect(use(tomas.id).id).toMatch(/^\d+$/);
    const created = discord.dispatches.filter(({ t }) => t === 'INTERACTION_CREATE').at(-1);
    expect(created?.d).toMatchObject({ data: { resolved: { users: { [tomas.id]: { username: 'tomas.k' } } } } });
    expect(created?.d).not.toHaveProperty('data.resolved.members');
  });
});
