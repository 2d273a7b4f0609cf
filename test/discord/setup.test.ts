import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import type { SetupChecks } from '../../commands/setup-checks.ts';
import { createSetupDrafts } from '../../commands/setup-drafts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { controlsOf, textsOf } from '../../src/sandbox/discord/normalized-components.ts';
import type { Message } from '../../src/sandbox/discord/objects.ts';
import { memorySetup } from '../support/setup-store.ts';
import { connectedBot, until } from './bot.ts';

const ephemeral = 1 << 6;
const textOf = (message: Message) => textsOf(message.components).join('\n');
type Values = Readonly<Record<string, string | readonly string[] | boolean>>;

/** A guild whose manager uses `/setup`. @param file values of the operator's file */
async function managed(
  options: { file?: Readonly<Record<string, unknown>>; isLinked?: boolean; checks?: Partial<SetupChecks> } = {},
) {
  const settings = memorySetup(options.file);
  const drafts = createSetupDrafts(systemClock);
  let guildId = '';
  const bot = await connectedBot(commands, {
    setup(discord) {
      guildId = discord.guildId;
      const { voter, vip, moderator, bot: own } = discord.roles;
      const checks: SetupChecks = {
        checkKey: async (_guildId, _kind, key) =>
          key.startsWith('good')
            ? { status: 'valid', name: 'Lantern *Harbour*', targetId: null }
            : { status: 'refused' },
        roleAccess: async () => ({
          mayManageRoles: true,
          ownerId: discord.members[0]?.id ?? '',
          positions: new Map(),
          roles: new Map([
            [voter, 'below'],
            [vip, 'below'],
            [moderator, 'above'],
            [own, 'managed'],
          ]),
          moderating: new Set(),
        }),
        channelsOf: async () => null,
        unassignedListings: () => [],
        listingNames: async () => new Map(),
        ...options.checks,
      };
      return { settings, drafts, checks };
    },
  });
  const author = (id: string) => ({ guildId, authorId: bot.member.id, interactionId: id });
  if (options.isLinked !== false) {
    const none = { targetId: null, lookupKey: 'good', voteSecret: null, premiumSecret: null };
    await settings.link({ ...author('1'), kind: 'server', ...none });
  }
  const { discord, member } = bot;
  let shown = await bot.run('setup').settled;
  const controls = () => controlsOf(shown.components);
  const idOf = (part: string) => {
    const found = controls().find((each) => each.custom_id?.includes(part) || ('label' in each && each.label === part));
    if (!found?.custom_id) throw new Error(`There is no ${part} in ${textOf(shown)}`);
    return found.custom_id;
  };
  const press = async (part: string) => {
    const pressed = discord.clickButton(shown.id, idOf(part), member.id);
    shown = await pressed.settled;
    return textOf(shown);
  };
  const open = async (part: string, values?: readonly string[]) => {
    const customId = idOf(part);
    const { id: messageId } = shown;
    const opened =
      values === undefined
        ? discord.clickButton(messageId, customId, member.id)
        : discord.select({ messageId, customId, userId: member.id, values });
    const callback = await opened.response;
    if (callback.type !== 9) throw new Error('No form was opened.');
    return { id: opened.id, modal: callback.data };
  };
  const submit = async (interactionId: string, values: Values) => {
    shown = await discord.submitModal({ interactionId, userId: member.id, values }).settled;
    return textOf(shown);
  };
  const select = async (part: string, values: readonly string[]) => {
    shown = await discord.select({ messageId: shown.id, customId: idOf(part), userId: member.id, values }).settled;
    return textOf(shown);
  };
  /** After the bot has replaced the message by itself. */
  const replaced = async (part: string) => {
    const now = () => discord.messages(discord.channels.general, null).find(({ id }) => id === shown.id) ?? shown;
    await until(() => textOf(now()).includes(part));
    shown = now();
    return textOf(shown);
  };
  return {
    ...bot,
    replaced,
    settings,
    drafts,
    press,
    open,
    submit,
    select,
    message: () => shown,
    text: () => textOf(shown),
  };
}

/** A form for credits as it was opened, with other values. */
const creditsWith = (values: Values) => ({ vote: '10', premium: '100', whenDenied: '0', allListings: '0', ...values });

describe('/setup with a listing that the service names', () => {
  const listingNames = async (listings: readonly string[]) =>
    new Map(listings.map((name) => [name, `*Harbour* ${name.at(-1)}`]));

  it('calls it by that name wherever a manager reads it; its own name is part of addresses only', async () => {
    const { settings, member, text, press, select, discord } = await managed({ checks: { listingNames } });
    const seen = [text()];
    seen.push(await press('s=announcements'), await press('Overview'), await press('s=listing'), await press('Unlink'));
    for (const shown of seen) {
      const withoutAddresses = shown.replaceAll(/https:\S+/g, '');
      expect(withoutAddresses).toContain('\\*Harbour\\* 1');
      expect(withoutAddresses).not.toContain('server-1');
    }

    const author = { guildId: discord.guildId, authorId: member.id, interactionId: '2' };
    const none = { targetId: null, lookupKey: 'good', voteSecret: null, premiumSecret: null };
    await settings.link({ ...author, kind: 'bot', ...none });
    await press('Cancel');
    await press('Overview');
    await select('setup/listing', ['bot-2']);
    expect(text()).toContain('\\*Harbour\\* 2 (bot)');
    expect(await press('History')).toContain('\\*Harbour\\* 2');
    expect(text()).not.toMatch(/(server-1|bot-2)/);
  });
});

describe('/setup without a listing', () => {
  it('leads from the key to the rewards, and turns green by itself', async () => {
    const guild = await managed({ isLinked: false });
    const { discord, settings, open, submit, press, select, replaced } = guild;
    expect(guild.message().flags & ephemeral).toBe(ephemeral);
    expect(guild.text()).toContain('In about two minutes');
    const form = await open('Link a listing');
    expect(form.modal.components).toHaveLength(5);
    expect(JSON.stringify(form.modal)).toContain(`"value":"${discord.guildId}"`);
    const waiting = await submit(form.id, { kind: 'server', targetId: discord.guildId, lookupKey: 'good-key' });
    expect(waiting).toContain('Linked: Lantern \\*Harbour\\*');
    expect(waiting).toContain('https://votes.example.org/webhooks/server-1/vote');
    expect(waiting).toContain('vote-secret-of-the-test');
    expect(waiting).toContain('Waiting for your test');
    expect(settings.calls[0]).toMatchObject({ kind: 'server', targetId: discord.guildId, lookupKey: 'good-key' });

    const [check] = controlsOf(guild.message().components);
    const asked = discord.clickButton(guild.message().id, check?.custom_id ?? '', guild.member.id);
    const notYet = await asked.settled;
    expect(notYet.id).not.toBe(guild.message().id);
    expect(textOf(notYet)).toContain('No test has arrived yet');

    settings.tests.set('server-1', Date.now());
    expect(await replaced('The test has arrived')).not.toContain('vote-secret-of-the-test');

    const { premium, general } = discord.channels;
    discord.guild.denyBot(premium, ['embedLinks']);
    expect(await select('setup/channel', [premium])).toContain(`lacks permissions in <#${premium}>: Embed Links`);
    expect(settings.calls).toHaveLength(1);
    expect(await select('setup/channel', [general])).toContain('What is a vote worth?');
    expect(await press('Lively')).toContain('From now on, votes are rewarded');
    expect(settings.calls.slice(1)).toMatchObject([
      { changes: [{ listing: 'server-1', path: 'announceChannelId', value: general }] },
      {
        changes: [
          { listing: 'server-1', path: 'rewards.vote', value: 10 },
          { listing: 'server-1', path: 'rewards.multipliers' },
          { listing: null, path: 'rewards.streak', value: { every: 7, credits: 50, forgive: 1 } },
        ],
      },
    ]);
    expect(await press('Overview')).toContain('**Channels**');
  });

  it('keeps what was entered when the key is refused, but not the key', async () => {
    const { open, submit, text, logged } = await managed({ isLinked: false });
    const form = await open('Link a listing');
    const values = { kind: 'bot', targetId: '123456', lookupKey: 'wrong-key', voteSecret: 'my-own-secret' };
    expect(await submit(form.id, values)).toContain('does not accept this API key');
    const again = await open('Edit again');
    const shown = JSON.stringify(again.modal);
    expect(shown).toContain('"value":"123456"');
    expect(shown).toContain('{"label":"A bot","value":"bot","default":true}');
    for (const secret of ['wrong-key', 'my-own-secret']) {
      expect(shown + text() + JSON.stringify(logged)).not.toContain(secret);
    }
  });

  it.each([
    ['the operator has listings without a guild', ['main'], true, 'belong to no server yet'],
    ['there is no key for secrets', [], false, 'SETTINGS_KEY'],
  ])('explains that nothing can be linked while %s', async (_when, unassigned, canStoreSecrets, text) => {
    const guild = await managed({ isLinked: false, checks: { unassignedListings: () => unassigned } });
    const old = await guild.open('Link a listing').catch(() => null);
    guild.settings.options.canStoreSecrets = canStoreSecrets;
    const shown = await guild.run('setup').settled;
    expect(textOf(shown)).toContain(text);
    expect(controlsOf(shown.components)).toEqual([]);
    if (old !== null) {
      expect(await guild.submit(old.id, { kind: 'server', targetId: '', lookupKey: 'good' })).toContain(text);
    }
    expect(guild.settings.calls).toEqual([]);
  });
});

describe('/setup with a listing', () => {
  it('shows each subject with its state', async () => {
    const { text, press } = await managed({ file: { announceChannelId: '123' } });
    for (const subject of ['Listing', 'Channels', 'Rewards', 'Roles', 'Reminders', 'Shop', 'Announcements']) {
      expect(text()).toContain(`**${subject}**`);
    }
    expect(await press('Channels')).toContain("**Announcements**: <#123> · from the operator's file");
  });

  it('says that premium is announced with the votes, unless it has a channel of its own', async () => {
    const inherited = await managed({ file: { announceChannelId: '123', premiumChannelId: '123' } });
    expect(await inherited.press('Channels')).toContain('**Premium**: same as announcements\n');
    const own = await managed({ file: { announceChannelId: '123', premiumChannelId: '124' } });
    expect(await own.press('Channels')).toContain("**Premium**: <#124> · from the operator's file");
    const none = await managed();
    expect(await none.press('Channels')).toContain('**Premium**: none');
  });

  it('sums up all rewards of the preset Lively', async () => {
    const { settings, member, discord, run } = await managed();
    const changes = [
      { listing: 'server-1', path: 'rewards.multipliers', value: [{ factor: 2, days: ['saturday', 'sunday'] }] },
      { listing: null, path: 'rewards.streak', value: { every: 7, credits: 50, forgive: 1 } },
    ] as const;
    await settings.save({
      ...{ guildId: discord.guildId, authorId: member.id, interactionId: '3', basis: null, changes },
    });
    const overview = textOf(await run('setup').settled);
    expect(overview).toMatch(/10\*\* credits · .*Saturday, Sunday.* · .*50\*\* credits.*7.* forgiven/);
  });

  it('saves only what was changed, shows before and after, and undoes it', async () => {
    const { settings, press, open, submit } = await managed({ file: { 'rewards.premium': 100 } });
    await press('Rewards');
    const form = await open('Credits');
    expect(form.modal.components).toHaveLength(4);
    expect(await submit(form.id, creditsWith({ vote: '25' }))).toContain('**Per vote**: not set → **25** credits');
    expect(settings.calls.at(-1)).toMatchObject({
      changes: [{ listing: 'server-1', path: 'rewards.vote', value: 25 }],
    });
    expect(await press('Undo')).toContain('**Per vote**: **25** credits → not set');
    expect((await settings.read('1')).listings[0]?.values['rewards.vote']).toEqual({ value: 10, source: 'default' });
  });

  it('names what is invalid, and opens the form again with what was entered', async () => {
    const { settings, press, open, submit } = await managed();
    await press('Rewards');
    const form = await open('Credits');
    const unsaved = await submit(form.id, creditsWith({ vote: 'ten', whenDenied: '3' }));
    expect(unsaved).toContain('**Per vote** is invalid: it must be a whole number.');
    expect(unsaved).toContain('Enter digits only.');
    const again = await open('Edit again');
    expect(JSON.stringify(again.modal)).toMatch(/"value":"ten".*"value":"3"/);
    expect(await submit(again.id, creditsWith({ vote: '12', whenDenied: '3' }))).toContain(
      '**Per vote**: not set → **12** credits',
    );
    expect(settings.calls).toHaveLength(3);
  });

  it('says when what was entered is no longer stored', async () => {
    const { drafts, press, open, submit } = await managed();
    await press('Rewards');
    const form = await open('Credits');
    await submit(form.id, creditsWith({ vote: 'ten' }));
    Object.assign(drafts, { find: () => null });
    expect(await press('Edit again')).toContain('no longer stored');
  });

  it('does not overwrite what somebody else has saved meanwhile', async () => {
    const { discord, settings, member, press, open, submit } = await managed();
    await press('Rewards');
    const form = await open('Credits');
    const other = { guildId: discord.guildId, authorId: member.id, interactionId: '9', basis: null };
    await settings.save({ ...other, changes: [{ listing: 'server-1', path: 'rewards.vote', value: 50 }] });
    expect(await submit(form.id, creditsWith({ vote: '25' }))).toContain('changed the same settings meanwhile');
    const again = await open('Edit again');
    expect(await submit(again.id, creditsWith({ vote: '25' }))).toContain('**50** credits → **25** credits');
  });

  it.each([
    ['moderator', 'is above the role of the bot', "drag the bot's role above"],
    ['bot', 'belongs to an integration', 'Choose a role that you made yourself'],
  ] as const)('explains why the role %s cannot be given', async (name, problem, hint) => {
    const { discord, settings, press, open, submit } = await managed();
    await press('Roles');
    const form = await open('Edit');
    const values = { voterRole: [discord.roles[name]], voterRoleFor: '12h', milestoneRoles: 'all', premiumRole: [] };
    const shown = await submit(form.id, values);
    expect(shown).toContain(problem);
    expect(shown).toContain(hint);
    expect(settings.calls).toHaveLength(1);
  });

  it('edits the entries of lists, and resets a subject', async () => {
    const { discord, settings, press, open, submit } = await managed();
    await press('Rewards');
    const added = await open('setup/entry:f=milestone', ['new']);
    const role = [discord.roles.vip];
    const entered = { votes: '10', repeats: 'once', milestoneCredits: '100', milestoneRole: role };
    expect(await submit(added.id, entered)).toContain(`at **10** votes: **100** credits + <@&${role[0]}>`);
    await press('Rewards');
    const multiplier = await open('setup/entry:f=multiplier', ['new']);
    await submit(multiplier.id, { factor: '1,5', days: ['saturday', 'sunday'], multiplierRole: [] });
    await press('Rewards');
    const changed = await open('setup/entry:f=milestone', ['0']);
    expect(JSON.stringify(changed.modal)).toContain('"value":"100"');
    await submit(changed.id, { ...entered, repeats: 'every', remove: false });
    const values = (await settings.read('1')).listings[0]?.values;
    expect(values?.['rewards.milestones'].value).toEqual([{ everyVotes: 10, credits: 100, role: role[0] }]);
    expect(values?.['rewards.multipliers'].value).toEqual([{ factor: 1.5, days: ['saturday', 'sunday'] }]);
    await press('Rewards');
    const removed = await open('setup/entry:f=milestone', ['0']);
    expect(await submit(removed.id, { ...entered, remove: true })).toContain('→ none');
    await press('Rewards');
    expect(await press('Reset')).toContain('→ not set');
    expect((await settings.read('1')).listings[0]?.values['rewards.multipliers'].source).toBe('default');
  });

  it('adds, changes and removes items of the shop, and never shows a code again', async () => {
    const { discord, settings, press, open, submit, select, text } = await managed();
    await press('Shop');
    const role = await open('Add a role');
    await submit(role.id, { itemName: 'VIP für 1 Woche', price: '100', itemRole: [discord.roles.vip], itemFor: '7d' });
    await press('Shop');
    const codes = await open('Add codes');
    const shown = await submit(codes.id, { itemName: 'Key', price: '500', codes: 'AAA-1\n\n BBB-2 ' });
    expect(shown).not.toContain('AAA-1');
    expect(settings.calls.at(-1)).toMatchObject({
      changes: [
        {
          listing: null,
          path: 'shop',
          value: [
            { id: 'vip-fur-1-woche', name: 'VIP für 1 Woche', price: 100, role: discord.roles.vip, for: '7d' },
            { id: 'key', name: 'Key', price: 500, newCodes: ['AAA-1', 'BBB-2'] },
          ],
        },
      ],
    });
    await press('Shop');
    await select('setup/item', ['0']);
    const limits = await open('Stock and role');
    await submit(limits.id, { stock: '5', needsRole: [discord.roles.moderator] });
    await press('Shop');
    await select('setup/item', ['1']);
    expect(await press('Remove')).toContain('Remove Key?');
    await press('Remove');
    await press('Shop');
    expect(text()).toContain('VIP für 1 Woche (**100** credits)');
    expect(text()).not.toContain('Key');
  });

  it('rotates a secret, which is shown once, and unlinks after a confirmation', async () => {
    const { settings, press, open, submit, text } = await managed();
    await press('Listing');
    expect(text()).toContain('https://votes.example.org/webhooks/server-1/vote');
    const form = await open('New vote secret');
    expect(await submit(form.id, { secret: '' })).toContain('new-vote-secret');
    expect(await press('Listing')).not.toContain('new-vote-secret');
    await press('Unlink');
    expect((await settings.read('1')).listings).toHaveLength(1);
    await press('Yes, unlink');
    expect((await settings.read('1')).listings).toEqual([]);
    expect(await press('Overview')).toContain('In about two minutes');
  });

  it('previews the text of announcements', async () => {
    const { member, press, open, submit, text } = await managed();
    await press('Announcements');
    const form = await open('Text');
    await submit(form.id, { title: '+{credits}!', text: '{mention} for {listing}', thumbnail: '', language: [] });
    await press('Announcements');
    expect(text()).toContain(`**+10!**\n<@${member.id}> for server-1`);
  });

  it('lists the last changes with their authors, and exports the settings', async () => {
    const { discord, member, press, open, submit, message } = await managed();
    await press('Rewards');
    const form = await open('Credits');
    await submit(form.id, creditsWith({ vote: '25' }));
    await press('Overview');
    const history = await press('History');
    expect(history).toContain(`<@${member.id}>`);
    expect(history).toContain('**Per vote**: not set → **25** credits');
    expect(await press('Undo')).toContain('Undone');
    await press('Overview');
    const exported = controlsOf(message().components).find((each) => 'label' in each && each.label === 'Export');
    const file = await discord.clickButton(message().id, exported?.custom_id ?? '', member.id).settled;
    expect(file.attachments).toMatchObject([{ filename: 'tallyhook-settings.json' }]);
    expect(file.flags & ephemeral).toBe(ephemeral);
  });

  it('is for those who manage the server, and for listings of this guild', async () => {
    const { discord, other, rest, member } = await managed();
    const components = [
      { type: 1, components: [{ type: 2, style: 2, label: 'A', custom_id: 'tallyhook:setup/overview:' }] },
      {
        type: 1,
        components: [{ type: 2, style: 2, label: 'B', custom_id: 'tallyhook:setup/section:l=foreign&s=shop' }],
      },
    ];
    const path = `/channels/${discord.channels.general}/messages` as const;
    const { id } = (await rest.post(path, { content: 'x', components })) as { id: string };
    const asOther = await discord.clickButton(id, 'tallyhook:setup/overview:', other.id).settled;
    expect(asOther.embeds[0]?.description).toContain('Only members with the permission Manage Server');
    const foreign = await discord.clickButton(id, 'tallyhook:setup/section:l=foreign&s=shop', member.id).settled;
    expect(textOf(foreign)).toContain('no longer linked here');
  });
});

describe('imported settings', () => {
  it('cannot announce in the channels of other guilds', async () => {
    const guild = await managed({ checks: { channelsOf: async () => new Set(['1000']) } });
    const importing = async (announceChannelId: string) => {
      const form = await guild.open('Import');
      const settings = JSON.stringify({ listings: [{ name: 'server-1', announceChannelId }] });
      return guild.submit(form.id, { settings });
    };
    expect(await importing('2000')).toContain('is not a channel of this server');
    expect(guild.settings.calls.length).toBe(1);
    await guild.press('Overview');
    await importing('1000');
    expect(guild.settings.calls.length).toBe(2);
  });
});
