import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { escapeName, markup } from '@tallyhook/platform/texts/markup';
import type { LocalDiscord, Message } from 'local-discord';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../commands/context.ts';
import type { CommandInput } from '../../src/discord/commands/command.ts';
import type { Modal, Reply } from '../../src/discord/commands/reply.ts';
import { command, connectedBot, hello, take, until } from '../support/bot.ts';

const ephemeral = 1 << 6;

/** A public command `shop`, whose actions and modals do what the test says. */
function shop(act: (input: CommandInput) => Promise<Reply | Modal> | Reply | Modal, changes: Partial<Command> = {}) {
  const inputs: CommandInput[] = [];
  const opening: Reply = {
    tone: 'plain',
    text: markup`Shop`,
    buttons: [
      { kind: 'link', label: 'Vote', url: 'https://example.com/vote' },
      { kind: 'action', action: 'buy', label: 'Buy', style: 'success', options: { item: 'vip' } },
    ],
  };
  const tested = command({
    name: 'shop',
    actions: ['buy', 'pick', 'sent'],
    async execute(input) {
      inputs.push(input);
      return input.action === null ? opening : await act(input);
    },
    ...changes,
  });
  return { shop: tested, inputs };
}

const buyId = 'tallyhook:shop/buy:item=vip';
const text = (content: string, response?: 'new' | 'update'): Reply => ({
  tone: 'good',
  text: escapeName(content),
  ...(response === undefined ? {} : { response }),
});
const shownIn = (discord: LocalDiscord) =>
  discord.messages(discord.channels.general).map(({ embeds }) => embeds[0]?.description);
const labelled = (message: Message) =>
  message.components.flatMap((row) =>
    row.type === 1 ? row.components.map((each) => ('label' in each ? each.label : '')) : [],
  );

/** Posts a message with these rows of components, as another version of the program might have. */
async function post(
  { discord, rest }: Pick<Awaited<ReturnType<typeof connectedBot>>, 'discord' | 'rest'>,
  rows: object[][],
  channelId = discord.channels.general,
): Promise<string> {
  const components = rows.map((row) => ({ type: 1, components: row }));
  const { id } = (await rest.post(`/channels/${channelId}/messages`, { content: 'x', components })) as { id: string };
  return id;
}

describe('an action button', () => {
  it('can be pressed by anybody under a public message, and responds to them alone', async () => {
    const { shop: tested, inputs } = shop(({ userId }) => text(`Bought by ${userId}`));
    const { discord, run, member, other } = await connectedBot([tested]);
    const shown = await run('shop').settled;
    expect(labelled(shown)).toEqual(['Vote', 'Buy']);
    const pressed = discord.clickButton(shown.id, buyId, other.id);
    expect(await pressed.response).toMatchObject({ type: 4 });
    const reply = await pressed.settled;
    expect(reply).toMatchObject({ flags: ephemeral, embeds: [{ description: `Bought by ${other.id}` }] });
    expect(shownIn(discord)).toEqual(['Shop']);
    expect(() => discord.clickButton(reply.id, buyId, member.id)).toThrow('cannot see this message');
    expect(inputs[1]).toMatchObject({
      action: 'buy',
      options: { item: 'vip' },
      userId: other.id,
      roles: [],
      isManager: false,
      interactionId: pressed.id,
    });
  });

  it('can replace the message that it is on', async () => {
    const { shop: tested } = shop(() => ({
      ...text('Sold out', 'update'),
      buttons: [{ kind: 'action', action: 'pick', label: 'Else', disabled: true }],
    }));
    const { discord, run, other } = await connectedBot([tested]);
    const { id } = await run('shop').settled;
    const pressed = discord.clickButton(id, buyId, other.id);
    expect(await pressed.response).toMatchObject({ type: 7 });
    expect(labelled(await pressed.settled)).toEqual(['Else']);
    expect(shownIn(discord)).toEqual(['Sold out']);
  });

  it('works on a message of an earlier run, and on one of another command', async () => {
    const { shop: tested } = shop(() => text('Bought'));
    const elsewhere = command({
      name: 'elsewhere',
      execute: async () => ({
        ...hello,
        buttons: [{ kind: 'action', command: 'shop', action: 'buy', label: 'Buy', options: { item: 'vip' } }],
      }),
    });
    const bot = await connectedBot([tested, elsewhere]);
    const posted = await post(bot, [[{ type: 2, style: 2, label: 'Buy', custom_id: buyId }]]);
    const { id } = await bot.run('elsewhere').settled;
    for (const message of [posted, id]) {
      const reply = await bot.discord.clickButton(message, buyId, bot.other.id).settled;
      expect(reply.embeds[0]?.description).toBe('Bought');
    }
  });

  it.each([
    ['new', ephemeral, ['Shop']],
    ['update', 0, ['Later']],
  ] as const)('that takes longer is deferred and then responds (%s)', async (response, flags, shown) => {
    const clock = manualClock();
    const { shop: tested } = shop(() => take(clock, 1_200).then(() => text('Later', response)));
    const { discord, run, other } = await connectedBot([tested], { clock });
    const { id } = await run('shop').settled;
    const pressed = discord.clickButton(id, buyId, other.id);
    expect(await pressed.response).toMatchObject({ type: 6 });
    const reply = await pressed.settled;
    expect(reply.embeds[0]?.description).toBe('Later');
    expect(reply.flags & ephemeral).toBe(flags);
    expect(shownIn(discord)).toEqual(shown);
  });

  it.each([0, 1_200])('that fails after %i ms explains it to the member alone', async (ms) => {
    const clock = manualClock();
    const { shop: tested } = shop(() => take(clock, ms).then(() => Promise.reject(new Error('broken'))));
    const { discord, run, other } = await connectedBot([tested], { clock });
    const { id } = await run('shop').settled;
    const reply = await discord.clickButton(id, buyId, other.id).settled;
    expect(reply.flags & ephemeral).toBe(ephemeral);
    expect(reply.embeds[0]?.description).toContain('Something went wrong');
    expect(shownIn(discord)).toEqual(['Shop']);
  });

  it('works in a direct message, where the member has no roles', async () => {
    const { shop: tested, inputs } = shop(() => text('Bought'));
    const bot = await connectedBot([tested]);
    const { id: channelId } = (await bot.rest.post('/users/@me/channels', { recipient_id: bot.other.id })) as {
      id: string;
    };
    const id = await post(bot, [[{ type: 2, style: 2, label: 'Buy', custom_id: buyId }]], channelId);
    await bot.discord.clickButton(id, buyId, bot.other.id).settled;
    expect(inputs).toMatchObject([
      { guildId: null, channelId, roles: null, isManager: false, displayName: bot.other.displayName },
    ]);
  });
});

describe('an action that the command does not declare', () => {
  const ids = ['shop/other:', 'gone/buy:', 'shop/constructor:', 'shop:page=2'].map((id) => `tallyhook:${id}`);
  const rubbish = ['rubbish', '', ':', '{"a":1}', 'other:page=2'].map((id) => `tallyhook:${id}`);

  it('is rejected for a button or a select', async () => {
    const { shop: tested, inputs } = shop(() => text('Bought'));
    const bot = await connectedBot([tested]);
    const options = [{ label: 'One', value: '1' }];
    const buttonsOf = (some: readonly string[]) =>
      some.map((custom_id) => ({ type: 2, style: 2, label: 'Press', custom_id }));
    const selects = ids.map((id) => [{ type: 3, custom_id: `${id}&select=1`, options }]);
    const messages = [await post(bot, [buttonsOf(ids), ...selects]), await post(bot, [buttonsOf(rubbish)])] as const;
    const [messageId] = messages;
    const used = [
      ...ids.map((id) => bot.discord.clickButton(messageId, id, bot.other.id)),
      ...rubbish.map((id) => bot.discord.clickButton(messages[1], id, bot.other.id)),
      ...ids.map((id) =>
        bot.discord.select({ messageId, customId: `${id}&select=1`, userId: bot.other.id, values: ['1'] }),
      ),
    ];
    for (const { settled } of used) {
      const { embeds, flags } = await settled;
      expect(embeds[0]?.description).toBe('This button has expired. Run the command again.');
      expect(flags).toBe(ephemeral);
    }
    expect(inputs).toEqual([]);
  });

  it('is rejected for a modal', async () => {
    const { shop: tested, inputs } = shop(() => ({
      kind: 'modal',
      action: 'other',
      title: 'Form',
      fields: [{ kind: 'text', name: 'note', label: 'Note' }],
    }));
    const { discord, run, other } = await connectedBot([tested]);
    const { id } = await run('shop').settled;
    const opened = discord.clickButton(id, buyId, other.id);
    await opened.response;
    const sent = discord.submitModal({ interactionId: opened.id, userId: other.id, values: { note: 'x' } });
    expect(await sent.settled).toMatchObject({ flags: ephemeral, embeds: [{ title: 'That did not work' }] });
    expect(inputs).toHaveLength(2);
  });
});

describe('a select', () => {
  it.each(['choices', 'users', 'roles', 'channels'] as const)('of %s passes the selected values', async (kind) => {
    const { shop: tested, inputs } = shop(() => text('Picked'));
    const choices = [
      { label: 'Red', value: 'red' },
      { label: 'Blue', value: 'blue', description: 'Like the sea.', selected: true },
    ];
    const source = kind === 'choices' ? { kind, choices } : { kind };
    const select = { ...source, action: 'pick', options: { item: 'vip' }, placeholder: 'Pick' };
    const picking = command({
      ...tested,
      execute: async (input, context) => {
        if (input.action === null) return { ...hello, selects: [select] };
        return tested.execute(input, context);
      },
    });
    const { discord, run, member, other } = await connectedBot([picking]);
    const value = { choices: 'blue', users: other.id, roles: discord.roles.voter, channels: discord.channels.premium };
    const { id: messageId } = await run('shop').settled;
    const customId = 'tallyhook:shop/pick:item=vip';
    const used = discord.select({ messageId, customId, userId: member.id, values: [value[kind]] });
    expect((await used.settled).embeds[0]?.description).toBe('Picked');
    expect(inputs).toMatchObject([{ action: 'pick', options: { item: 'vip' }, values: [value[kind]] }]);
  });
});

describe('the permissions and roles that a selection names', () => {
  it('are passed from a select of a message', async () => {
    const { shop: tested, inputs } = shop(() => text('Picked'));
    const selects = (['roles', 'channels'] as const).map((kind) => ({ kind, action: 'pick', options: { kind } }));
    const picking = command({
      ...tested,
      execute: async (input, context) =>
        input.action === null ? { ...hello, selects } : tested.execute(input, context),
    });
    const { discord, run, member } = await connectedBot([picking]);
    const { premium } = discord.channels;
    discord.guild.denyBot(premium, ['sendMessages', 'embedLinks']);
    const { id: messageId } = await run('shop').settled;
    const choose = (kind: string, value: string) =>
      discord.select({ messageId, customId: `tallyhook:shop/pick:kind=${kind}`, userId: member.id, values: [value] })
        .settled;
    await choose('channels', premium);
    await choose('roles', discord.roles.bot);
    expect(inputs.map(({ resolved }) => resolved)).toEqual([
      { channels: { [premium]: { name: 'premium', missing: ['Send Messages', 'Embed Links'] } }, users: {}, roles: {} },
      {
        channels: {},
        users: {},
        roles: { [discord.roles.bot]: { name: 'tallyhook', isManaged: true, isModerating: true } },
      },
    ]);
  });

  it('are passed from a modal with all kinds of fields, which start with their present values', async () => {
    const choices = ['one', 'two', 'three'].map((value) => ({ value, label: value, selected: value === 'two' }));
    let selected: Readonly<Record<'channels' | 'roles', string[]>> = { channels: [], roles: [] };
    const { shop: tested, inputs } = shop(({ action }) =>
      action === 'sent'
        ? text('Thanks')
        : {
            kind: 'modal',
            action: 'sent',
            title: 'All',
            fields: [
              { kind: 'channels', name: 'channel', label: 'Channel', selected: selected.channels },
              { kind: 'roles', name: 'roles', label: 'Roles', maxValues: 3, selected: selected.roles },
              { kind: 'radios', name: 'one', label: 'One', choices, required: false },
              { kind: 'checkboxes', name: 'some', label: 'Some', choices },
              { kind: 'checkbox', name: 'yes', label: 'Yes?', checked: true },
            ],
          },
    );
    const { discord, run, member } = await connectedBot([tested]);
    const { general } = discord.channels;
    const { voter, vip } = discord.roles;
    selected = { channels: [general], roles: [voter, vip] };
    const { id } = await run('shop').settled;
    const opened = discord.clickButton(id, buyId, member.id);
    const { data } = (await opened.response) as unknown as { data: { components: { component: object }[] } };
    expect(data.components.map(({ component }) => component)).toMatchObject([
      { type: 8, default_values: [{ id: general, type: 'channel' }], channel_types: [0, 5] },
      { type: 6, default_values: [{ id: voter }, { id: vip }], max_values: 3 },
      { type: 21, required: false, options: [{ value: 'one' }, { value: 'two', default: true }, { value: 'three' }] },
      { type: 22, min_values: 1, max_values: 3 },
      { type: 23, default: true },
    ]);
    const values = { channel: [general], roles: [voter, vip], one: [], some: ['one', 'three'], yes: true };
    await discord.submitModal({ interactionId: opened.id, userId: member.id, values }).settled;
    expect(inputs.at(-1)).toMatchObject({
      fields: { channel: [general], roles: [voter, vip], one: '', some: ['one', 'three'], yes: true },
      resolved: {
        channels: { [general]: { name: 'general', missing: [] } },
        roles: {
          [voter]: { name: 'Voter', isManaged: false, isModerating: false },
          [vip]: { name: 'VIP', isManaged: false, isModerating: false },
        },
      },
    });
  });
});

describe('a modal', () => {
  const form: Modal = {
    kind: 'modal',
    action: 'sent',
    options: { item: 'vip' },
    title: 'Buy a VIP pass',
    fields: [
      { kind: 'text', name: 'note', label: 'Note', description: 'Shown to nobody.', multiline: true, maxLength: 40 },
      { kind: 'text', name: 'more', label: 'More', required: false },
      { kind: 'choices', name: 'colour', label: 'Colour', choices: [{ label: 'Red', value: 'red' }] },
      { kind: 'users', name: 'friend', label: 'Friend', required: false },
    ],
  };

  it('is opened by an action, and its submission can replace the message', async () => {
    const { shop: tested, inputs } = shop(({ action }) => (action === 'buy' ? form : text('Thanks', 'update')));
    const { discord, run, other } = await connectedBot([tested]);
    const { id } = await run('shop').settled;
    const opened = discord.clickButton(id, buyId, other.id);
    expect(await opened.response).toMatchObject({ type: 9, data: { title: 'Buy a VIP pass' } });
    const values = { note: ' Hi! ', colour: ['red'], friend: [other.id] };
    const sent = discord.submitModal({ interactionId: opened.id, userId: other.id, values });
    expect(await sent.response).toMatchObject({ type: 7 });
    await sent.settled;
    expect(shownIn(discord)).toEqual(['Thanks']);
    expect(inputs[2]).toMatchObject({
      action: 'sent',
      options: { item: 'vip' },
      fields: { note: ' Hi! ', more: '', colour: ['red'], friend: [other.id] },
      interactionId: sent.id,
    });
  });

  it.each([
    ['public', 0],
    ['private', ephemeral],
  ] as const)('that a %s command opens is answered as the command is', async (visibility, flags) => {
    const opener = command({
      name: 'form',
      visibility,
      actions: ['sent'],
      execute: async ({ action }) => (action === null ? form : text('Thanks', 'update')),
    });
    const { discord, run, member } = await connectedBot([opener]);
    const opened = run('form');
    await opened.response;
    const values = { note: 'Hi!', colour: ['red'] };
    const sent = await discord.submitModal({ interactionId: opened.id, userId: member.id, values }).settled;
    expect(sent).toMatchObject({ embeds: [{ description: 'Thanks' }] });
    expect(sent.flags & ephemeral).toBe(flags);
  });

  it('that comes too late for Discord is explained', async () => {
    const clock = manualClock();
    const { shop: tested } = shop(() => take(clock, 1_200).then(() => form));
    const { discord, run, other } = await connectedBot([tested], { clock });
    const { id } = await run('shop').settled;
    const reply = await discord.clickButton(id, buyId, other.id).settled;
    expect(reply.embeds[0]?.description).toContain('This took too long');
    expect(reply.flags).toBe(ephemeral);
  });

  it('that opens another one is reported as an error', async () => {
    const { shop: tested } = shop(() => form);
    const { discord, run, other, counted } = await connectedBot([tested]);
    const { id } = await run('shop').settled;
    const opened = discord.clickButton(id, buyId, other.id);
    await opened.response;
    const values = { note: 'Hi!', colour: ['red'] };
    const reply = await discord.submitModal({ interactionId: opened.id, userId: other.id, values }).settled;
    expect(reply.embeds[0]?.description).toContain('Something went wrong');
    await until(() => counted.length === 3);
    expect(counted).toEqual(['shop answered', 'shop answered', 'shop failed']);
  });
});

describe('a command for managers', () => {
  const managersOnly = { defaultMemberPermissions: 'ManageGuild' } as const;

  it('is offered to managers alone', async () => {
    const { shop: tested } = shop(() => text('Bought'), managersOnly);
    const { discord, run, other } = await connectedBot([tested]);
    expect(discord.commands()).toMatchObject([{ default_member_permissions: '32' }]);
    const use = { name: 'shop', userId: other.id, channelId: discord.channels.general };
    expect(() => discord.runCommand(use)).toThrow('You do not have permission');
    expect((await run('shop').settled).embeds[0]?.description).toBe('Shop');
  });

  it('is not executed for another member, even if an administrator offers it to all', async () => {
    const { shop: tested, inputs } = shop(() => text('Bought'), managersOnly);
    const bot = await connectedBot([tested]);
    const { discord, rest, run, other } = bot;
    const [{ id } = { id: '' }] = discord.commands();
    await rest.patch(`/applications/${discord.applicationId}/commands/${id}`, { default_member_permissions: null });
    const use = { name: 'shop', userId: other.id, channelId: discord.channels.general };
    const shown = await run('shop').settled;
    for (const used of [discord.runCommand(use), discord.clickButton(shown.id, buyId, other.id)]) {
      expect(await used.settled).toMatchObject({
        flags: ephemeral,
        embeds: [{ description: 'Only members with the permission Manage Server can do this.' }],
      });
    }
    expect(inputs).toHaveLength(1);
  });
});

describe('the files of a reply', () => {
  const file = (name: string) => ({ name, content: new TextEncoder().encode(`content of ${name}`) });

  it('are attached, also to a private reply', async () => {
    const exporting = command({
      name: 'export',
      visibility: 'private',
      execute: async () => ({ ...hello, files: [{ ...file('data.json'), description: 'Your data' }, file('b.txt')] }),
    });
    const { run } = await connectedBot([exporting]);
    const { attachments, flags } = await run('export').settled;
    expect(flags & ephemeral).toBe(ephemeral);
    expect(attachments).toMatchObject([{ filename: 'data.json', description: 'Your data' }, { filename: 'b.txt' }]);
    expect(await (await fetch(attachments[0]?.url ?? '')).text()).toBe('content of data.json');
  });

  it.each([0, 1_200])('replace those of the message that is updated after %i ms', async (ms) => {
    const clock = manualClock();
    const pictures = command({
      name: 'pictures',
      actions: ['next', 'none'],
      execute: async ({ action }) => {
        if (action !== null) await take(clock, ms);
        const files = action === 'none' ? [] : [file(action === null ? 'first.txt' : 'second.txt')];
        const buttons = ['next', 'none'].map((each) => ({ kind: 'action', action: each, label: each }) as const);
        return { ...hello, response: 'update', files, buttons };
      },
    });
    const { discord, run, member } = await connectedBot([pictures], { clock });
    const { id } = await run('pictures').settled;
    const press = async (action: string) => {
      const { attachments } = await discord.clickButton(id, `tallyhook:pictures/${action}:`, member.id).settled;
      return attachments.map(({ filename }) => filename);
    };
    expect(await press('next')).toEqual(['second.txt']);
    expect(await press('none')).toEqual([]);
  });
});
