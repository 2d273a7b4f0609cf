import { systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { Routes } from 'discord-api-types/v10';
import type { Message, SubmittedValues } from 'local-discord';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../../commands/index.ts';
import { presets } from '../../../commands/setup/presets.ts';
import { loadConfig } from '../../../config/load.ts';
import { applicationId } from '../../../packages/local-discord/src/default-guild.ts';
import { controlsOf, textsOf } from '../../../packages/local-discord/src/objects.ts';
import { createGuildProfiles } from '../../../src/discord/guild-profile.ts';
import { createDiscordRest } from '../../../src/discord/rest.ts';
import { createUploads, type SetupChecks } from '../../../src/features/settings/services.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { connectedBot, until } from '../../support/bot.ts';
import { startFakeService } from '../../support/fake-service.ts';
import { serverAndBot } from '../../support/listings.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { setupOver, setupServicesOver, storedValue } from '../../support/setup-over.ts';
import { eventReceiver } from '../events/receiving.ts';

const ephemeral = 1 << 6;
const labelsOf = (message: Message) =>
  controlsOf(message.components).flatMap((each) => ('label' in each ? each.label : []));
const textOf = (message: Message) => textsOf(message.components).join('\n');
type Values = SubmittedValues;
const file = (text: string | Buffer) => ({ filename: 'my file.txt', contentType: '', bytes: Buffer.from(text) });

const log = createLog({ level: 'silent', secrets: [] });
const none = { targetId: null, lookupKey: 'good', voteSecret: null };

/**
 * A guild whose manager uses `/setup`, with a linked listing.
 * @param options.file settings of the operator's listing, which takes its place
 */
async function managed(
  options: {
    file?: Readonly<Record<string, unknown>>;
    isLinked?: boolean;
    checks?: Partial<SetupChecks>;
    environment?: Readonly<Record<string, string>>;
    cdn?: string;
  } = {},
) {
  const bot = await connectedBot(commands, {
    setup(discord, store) {
      const { guildId } = discord;
      const { voter, vip, moderator, bot: own } = discord.roles;
      const checks: Partial<SetupChecks> = {
        checkKey: async (_guildId, _kind, key) =>
          key.startsWith('good')
            ? {
                status: 'valid',
                kind: key.includes('bot') ? 'bot' : 'server',
                name: 'Lantern *Harbour*',
                targetId: null,
              }
            : { status: 'refused' },
        votePage: async () => 'https://lists.example.org/harbour',
        readUpload: createUploads({ apiUrl: discord.apiUrl, stopwatch: systemClock, log }),
        roleAccess: async () => ({
          ...{ mayManageRoles: true, ownerId: discord.members[0]?.id ?? '', positions: new Map() },
          roles: new Map([
            [voter, 'below'],
            [vip, 'below'],
            [moderator, 'above'],
            [own, 'managed'],
          ]),
          ...{ moderating: new Set(), names: new Map(), guildName: '' },
        }),
        ...options.checks,
      };
      const file = options.file && environmentWith([{ ...harbour, guildId, ...options.file }]);
      return setupServicesOver(store, {
        checks,
        environment: { PUBLIC_URL: 'https://votes.example.org', ...file, ...options.environment },
        profiles: createGuildProfiles({
          rest: createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl }),
          ...{
            apiUrl: discord.apiUrl,
            clock: systemClock,
            log,
            ...(options.cdn !== undefined && { cdn: options.cdn }),
          },
        }),
      });
    },
  });
  const { discord, member, setup } = bot;
  if (setup === null) throw new Error('The bot has no /setup.');
  const { settings } = setup;
  const { guildId } = discord;
  let interactions = 0;
  const author = () => {
    interactions += 1;
    return { guildId, authorId: member.id, interactionId: `interaction ${interactions}` };
  };
  const link = async (kind: 'server' | 'bot') => {
    const result = await settings.link({ ...author(), ...none, kind });
    if (result.status !== 'linked') throw new Error('It was not linked.');
    return result.listing.name;
  };
  const isLinked = options.file === undefined && options.isLinked !== false;
  const listing = isLinked ? await link('server') : harbour.name;
  /** What the members have changed, oldest first, since the test began. */
  const saved = async () => {
    const changes = await settings.changes(guildId, { before: null, limit: 100 });
    return changes
      .toReversed()
      .slice(isLinked ? 1 : 0)
      .map((each) => each.changes);
  };
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
  /** Opens a form of a section, and sends it. @param chosen in a select, if that opens it */
  const fill = async (section: string, part: string, values: Values, chosen?: readonly string[]) => {
    await press(section);
    return submit((await open(part, chosen)).id, values);
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
    ...{ setup, settings, listing, author, link, saved },
    stored: (path: string, name = listing) => storedValue(bot.store, guildId, name, path),
    read: async () => (await settings.read(guildId)).listings,
    replaced,
    press,
    open,
    submit,
    ...{ fill, select },
    message: () => shown,
    text: () => textOf(shown),
    /** Records a vote for a listing. */
    async vote(name: string) {
      const [target] = serverAndBot();
      const vote = { receivedAt: Date.now(), family: 'vote', body: '{}' } as const;
      const event = {
        ...{ family: 'vote', kind: 'server_vote', userId: bot.other.id, at: null, creditsAwarded: null, denial: null },
        target: { kind: 'server', id: null, name: null },
      } as const;
      await bot.store.recorder.record(vote, { type: 'event', event, listing: { ...target, name } } as never);
    },
  };
}

/** A form for credits as it was opened, with other values. */
const creditsWith = (values: Values) => ({
  vote: '10',
  premium: '100',
  whenDenied: '0',
  allListings: '0',
  firstVote: '0',
  ...values,
});

describe('/setup without a listing', () => {
  it('leads from the key to the rewards, and turns green by itself', async () => {
    const guild = await managed({ isLinked: false });
    const { discord, store, saved, open, submit, press, select, replaced } = guild;
    expect(guild.message().flags & ephemeral).toBe(ephemeral);
    expect(guild.text()).toContain('Choose the site on which');
    const form = await open('Paste an API key');
    expect(form.modal.components).toHaveLength(1);
    const waiting = await submit(form.id, { lookupKey: 'good-key' });
    expect(waiting).toContain('Linked: Lantern \\*Harbour\\*');
    const [listing] = await guild.read();
    expect(listing).toMatchObject({ kind: 'server', targetId: discord.guildId });
    const { name = '' } = listing ?? {};
    expect(await guild.stored('lookupKey', name)).toBe('good-key');
    const secrets = [await guild.stored('voteSecrets', name)].flat();
    expect(secrets).toHaveLength(1);
    for (const secret of secrets) expect(waiting).toContain(secret);
    expect(waiting).toContain(`https://votes.example.org/webhooks/${name}/vote`);
    expect(waiting).toContain('Waiting for your test');

    const [check] = controlsOf(guild.message().components);
    const asked = discord.clickButton(guild.message().id, check?.custom_id ?? '', guild.member.id);
    const notYet = await asked.settled;
    expect(notYet.id).not.toBe(guild.message().id);
    expect(textOf(notYet)).toContain('No test has arrived yet');

    const [target] = serverAndBot();
    await store.recorder.record(
      { receivedAt: Date.now(), family: 'vote', body: '{}' },
      { type: 'test', test: { kind: 'server_vote', userId: null }, listing: { ...target, name } },
    );
    const arrived = await replaced('The test has arrived');
    for (const secret of secrets) expect(arrived).not.toContain(secret);

    const { premium, general } = discord.channels;
    discord.guild.denyBot(premium, ['embedLinks']);
    expect(await select('setup/channel', [premium])).toContain(`lacks permissions in <#${premium}>: Embed Links`);
    expect(await saved()).toHaveLength(1);
    expect(await select('setup/channel', [general])).toContain('What is a vote worth?');
    expect(await press('Lively')).toContain('From now on, votes are rewarded');
    expect(labelsOf(guild.message())).toEqual([
      ...['Vote now', 'Give voters a role', 'Open the shop', 'Post a vote panel', 'Overview'],
    ]);
    expect((await saved()).slice(1)).toMatchObject([
      [{ listing: name, path: 'announceChannelId', after: general }],
      [
        { listing: name, path: 'rewards.vote', after: 10 },
        { listing: name, path: 'rewards.multipliers' },
        { listing: null, path: 'rewards.streak', after: { every: 7, credits: 50, forgive: 1 } },
      ],
    ]);
    const overview = await press('Overview');
    expect(overview).toContain('**Channels**');
    expect(overview).toContain(
      '**3 of 6 done**\n✅ Listing\n✅ Test the webhook\n✅ Announcements\n⬜ Role for voters',
    );

    // Another preset takes back what only the ones before have.
    for (const { id, values } of presets) {
      await press('Rewards');
      await press('Presets');
      await press(textsIn('en-US').text(`setup.buttons.${id}`));
      const rules = (await saved()).flat().filter(({ path }) => path.startsWith('rewards.'));
      const inEffect = new Map<string, unknown>(rules.map(({ path, after }) => [path, after]));
      expect(JSON.parse(JSON.stringify(Object.fromEntries(inEffect))), id).toEqual(values);
      await press('Overview');
    }
  });

  it('says that the key is refused, and asks for it again without showing it', async () => {
    const { open, submit, text, logged } = await managed({ isLinked: false });
    const form = await open('Paste an API key');
    expect(await submit(form.id, { lookupKey: 'wrong-key' })).toContain('does not accept this API key');
    const again = await open('Edit again');
    expect(JSON.stringify(again.modal) + text() + JSON.stringify(logged)).not.toContain('wrong-key');
  });

  it.each([
    ['the operator has listings without a guild', ['main'], true, 'belong to no server yet'],
    ['there is no key for secrets', [], false, 'SETTINGS_KEY'],
  ])('explains that nothing can be linked while %s', async (_when, unassigned, canStoreSecrets, text) => {
    const guild = await managed({ isLinked: false, checks: { unassignedListings: () => unassigned } });
    const old = await guild.open('Paste an API key').catch(() => null);
    const settings = setupOver(guild.store, { SETTINGS_KEY: '', DATABASE_URL: 'postgres://127.0.0.1/tallyhook' });
    if (!canStoreSecrets) Object.assign(guild.setup, { settings });
    const shown = await guild.run('setup').settled;
    expect(textOf(shown)).toContain(text);
    expect(controlsOf(shown.components)).toEqual([]);
    if (old !== null) {
      expect(await guild.submit(old.id, { lookupKey: 'good' })).toContain(text);
    }
    expect(await guild.saved()).toEqual([]);
  });
});

describe('/setup with another listing site', () => {
  it('asks only for what it does not know, and says what to do on the site', async () => {
    const guild = await managed({ isLinked: false });
    const { discord, open, submit } = guild;
    const [servers, bots] = ['k=server', 'k=bot'].map((kind) =>
      controlsOf(guild.message().components).flatMap((each) =>
        each.custom_id?.includes(kind) && 'options' in each ? each.options.map(({ value }) => value) : [],
      ),
    );
    expect(servers?.slice(0, 3)).toEqual(['topgg', 'discordplace', 'disurl']);
    expect(bots?.slice(0, 3)).toEqual(['topgg', 'discordbotlist', 'discordplace']);
    expect([servers?.at(-1), bots?.at(-1)]).toEqual(['custom', 'custom']);

    const steps = await guild.select('k=bot', ['topgg']);
    expect(await guild.read()).toEqual([]);
    const [, name = ''] = /https:\/\/votes\.example\.org\/webhooks\/(topgg-[0-9a-f]{10})\n/.exec(steps) ?? [];
    expect(steps).toContain('1. On **top.gg**, open');
    expect(steps).toContain('3. Tick the event **vote.create**.');
    expect(steps).toContain('Signed: whoever sees a request');
    expect(controlsOf(guild.message().components)).toContainEqual(
      expect.objectContaining({ label: 'Open top.gg', url: 'https://top.gg/' }),
    );
    const form = await open('Enter the secret');
    const asked = JSON.stringify(form.modal);
    expect(form.modal.components).toHaveLength(2);
    expect(asked).toContain(`"value":"${applicationId}"`);
    expect(asked).toContain('"placeholder":"whs_…"');
    const secret = 'whs_0123456789abcdef';
    const waiting = await submit(form.id, { botId: '716390085896962058', secret });
    const [listing] = await guild.read();
    expect(listing).toMatchObject({ name, kind: 'bot', targetId: '716390085896962058', site: { id: 'topgg' } });
    expect(waiting).toContain(`https://votes.example.org/webhooks/${name}\n`);
    expect(waiting).toContain('Signed: whoever sees a request');
    expect(waiting).not.toContain(secret);
    expect(await guild.stored('voteSecrets', name)).toEqual([secret]);

    const more = await open('More');
    await guild.submit(more.id, { secret: '', siteKey: 'token-of-topgg' });
    expect(guild.text()).toContain('**API token of the site**: changed');
    expect(await guild.stored('siteKey', name)).toBe('token-of-topgg');
    expect(await guild.press('Listing')).toContain('**API token of the site**: stored: 1');
    expect(guild.text()).not.toMatch(/token-of-topgg|API key|Premium/);
    expect(await guild.press('Unlink')).toContain('Unlink');
    await guild.press('Yes, unlink');
    expect(await guild.read()).toEqual([]);
    await guild.press('Undo');
    expect(await guild.read()).toMatchObject([{ name, hasSiteKey: true, voteSecrets: 1 }]);
    expect(JSON.parse(await guild.settings.export(discord.guildId))).toMatchObject({
      listings: [{ name, site: 'topgg' }],
    });
  });

  it('asks for the name of the listing where the vote page needs it', async () => {
    const guild = await managed({ isLinked: false });
    const form = await guild.open('k=bot', ['discordbotlist']);
    expect(form.modal.components).toHaveLength(1);
    await guild.submit(form.id, { botId: '' });
    const more = await guild.open('More');
    expect(more.modal.components).toHaveLength(3);
    expect(await guild.submit(more.id, { slug: 'a name' })).toContain('Enter the part of the address');
    await guild.run('setup').settled;
    const [listing] = await guild.read();
    expect(listing).toMatchObject({ kind: 'bot', targetId: applicationId });
    const details = { voteSecret: null, premiumSecret: null, siteKey: null, slug: 'harbour' };
    const { name = '' } = listing ?? {};
    await guild.settings.describe({ ...guild.author(), listing: name, details });
    const exported = await guild.settings.export(guild.discord.guildId);
    expect(JSON.parse(exported)).toMatchObject({ listings: [{ site: 'discordbotlist', slug: 'harbour' }] });
    const unlinked = await guild.settings.unlink({ ...guild.author(), listing: name });
    expect(unlinked).toMatchObject({ status: 'saved' });
    expect(await guild.read()).toEqual([]);
  });

  it('links at once where there is nothing to ask, and turns green with the first vote', async () => {
    const guild = await managed({ isLinked: false });
    const waiting = await guild.select('setup/site', ['disurl']);
    const [listing] = await guild.read();
    expect(listing).toMatchObject({ kind: 'server', targetId: guild.discord.guildId, site: { id: 'disurl' } });
    const { name = '' } = listing ?? {};
    const [secret = ''] = [await guild.stored('voteSecrets', name)].flat();
    expect(secret).toMatch(/^[\w-]{32}$/);
    expect(waiting).toContain(secret);
    expect(waiting).toContain('2. Enter this address and this secret.');
    expect(waiting).toContain('whoever sees one request can forge votes');
    await guild.vote(name);
    await guild.replaced('A vote has arrived');
  });

  it('links a site that it does not know by a description, which can be corrected', async () => {
    const guild = await managed({ isLinked: false });
    const form = await guild.open('k=server', ['custom']);
    expect(form.modal.components).toHaveLength(4);
    const described = { siteName: 'Else*where', header: 'X-Token', user: 'user id', test: 'type=test' };
    expect(await guild.submit(form.id, described)).toContain('Enter names of fields with dots between them');
    const again = await guild.open('Edit again');
    expect(JSON.stringify(again.modal)).toContain('Else*where');
    const waiting = await guild.submit(again.id, { ...described, user: 'user.id' });
    const [listing] = await guild.read();
    const { name = '', site } = listing ?? {};
    expect(site).toMatchObject({ id: 'custom', name: 'Else*where', schemes: [{ type: 'token', header: 'x-token' }] });
    expect(waiting).toContain('Linked: Else\\*where');
    expect(waiting).toContain('whoever sees one request can forge votes');
    for (const stored of [await guild.stored('voteSecrets', name)].flat()) expect(waiting).toContain(stored);
    const [exported] = JSON.parse(await guild.settings.export(guild.discord.guildId)).listings;
    expect(exported).toMatchObject({ custom: { name: 'Else*where', header: 'X-Token', user: 'user.id' } });
    const file = environmentWith([{ ...exported, voteSecrets: ['a secret of its own'] }]);
    expect(loadConfig({ TALLYHOOK_ROLES: 'receive', ...file }).listings).toMatchObject([{ site: { id: 'custom' } }]);
  });
});

describe('/setup with a listing', () => {
  it('saves only what was changed, shows before and after, and undoes it', async () => {
    const { listing, saved, read, press, fill } = await managed({ file: { rewards: { premium: 100 } } });
    const changed = await fill('Rewards', 'Credits', creditsWith({ vote: '25' }));
    expect(changed).toContain('**Per vote**: not set → **25** credits');
    expect(await saved()).toMatchObject([[{ listing, path: 'rewards.vote', after: 25 }]]);
    expect(await press('Undo')).toContain('**Per vote**: **25** credits → not set');
    expect((await read())[0]?.values['rewards.vote']).toEqual({ value: 10, source: 'default' });
  });

  it('switches a bonus off with an empty field', async () => {
    const { saved, fill } = await managed({ file: { rewards: { allListings: 20 } } });
    expect(await fill('Rewards', 'Credits', creditsWith({ allListings: '' }))).toContain('**All listings in a day**');
    expect(await saved()).toMatchObject([[{ path: 'rewards.allListings', after: null }]]);
  });

  it('does not overwrite what somebody else has saved meanwhile', async () => {
    const { settings, listing, author, other, press, open, submit } = await managed();
    await press('Rewards');
    const form = await open('Credits');
    await settings.save({
      ...author(),
      authorId: other.id,
      basis: null,
      changes: [{ listing, path: 'rewards.vote', value: 50 }],
    });
    expect(await submit(form.id, creditsWith({ vote: '25' }))).toContain('changed the same settings meanwhile');
    const again = await open('Edit again');
    expect(await submit(again.id, creditsWith({ vote: '25' }))).toContain('**50** credits → **25** credits');
  });

  it('offers durations by their names, with the present one, and time zones, or a text for any other', async () => {
    const { settings, listing, author, saved, press, open, submit, fill } = await managed();
    await settings.save({ ...author(), basis: null, changes: [{ listing, path: 'cooldownHours', value: 1.5 }] });
    await press('Waiting time');
    const waiting = await open('Edit');
    const choices = JSON.stringify(waiting.modal);
    expect(choices).toContain('{"label":"90 minutes","value":"90m","default":true}');
    expect(choices).toContain('{"label":"12 hours","value":"12h"}');
    expect(await submit(waiting.id, { cooldown: ['90m'] })).toContain('Nothing');
    expect(await fill('Waiting time', 'Edit', { cooldown: ['12h'] })).toContain('90 minutes → 12 hours');

    const streak = { streakDays: '', streakCredits: '', forgive: '' };
    await press('Overview');
    await press('Rewards');
    const zones = await open('Streak');
    expect(JSON.stringify(zones.modal)).toContain('{"label":"Berlin · Central European Time","value":"Europe/Berlin"}');
    await submit(zones.id, { ...streak, timeZone: ['Europe/Berlin'], otherTimeZone: '' });
    await fill('Rewards', 'Streak', { ...streak, timeZone: ['Europe/Berlin'], otherTimeZone: 'Atlantic/Azores' });
    await press('Rewards');
    const again = await open('Streak');
    expect(JSON.stringify(again.modal)).toContain('"value":"Atlantic/Azores","default":true');
    expect((await saved()).flatMap((each) => each.map(({ after }) => after))).toEqual([
      ...[1.5, 12, 'Europe/Berlin', 'Atlantic/Azores'],
    ]);
  });

  it('edits the entries of lists, and resets a subject', async () => {
    const { discord, read, press, open, submit, fill } = await managed();
    const role = [discord.roles.vip];
    const entered = { votes: '10', repeats: 'once', milestoneCredits: '100', milestoneRole: role };
    const added = await fill('Rewards', 'setup/entry:f=milestone', entered, ['new']);
    expect(added).toContain(`at **10** votes: **100** credits + <@&${role[0]}>`);
    await fill(
      'Rewards',
      'setup/entry:f=multiplier',
      { factor: '1,5', days: ['saturday', 'sunday'], multiplierRole: [] },
      ['new'],
    );
    await press('Rewards');
    const changed = await open('setup/entry:f=milestone', ['0']);
    expect(JSON.stringify(changed.modal)).toContain('"value":"100"');
    await submit(changed.id, { ...entered, repeats: 'every', remove: false });
    const values = (await read())[0]?.values;
    expect(values?.['rewards.milestones'].value).toEqual([{ everyVotes: 10, credits: 100, role: role[0] }]);
    expect(values?.['rewards.multipliers'].value).toEqual([{ factor: 1.5, days: ['saturday', 'sunday'] }]);
    expect(await fill('Rewards', 'setup/entry:f=milestone', { ...entered, remove: true }, ['0'])).toContain('→ none');
    await press('Rewards');
    expect(await press('Reset')).toContain('→ not set');
    expect((await read())[0]?.values['rewards.multipliers'].source).toBe('default');
  });

  it('adds, changes and removes items of the shop, and never shows a code again', async () => {
    const { discord, saved, stored, press, open, submit, fill, select, text } = await managed();
    const role = { itemName: 'VIP für 1 Woche', price: '100', itemRole: [discord.roles.vip], itemFor: '7d' };
    await fill('Shop', 'Add a role', role);
    const shown = await fill('Shop', 'Add codes', { itemName: 'Key', price: '500', codes: 'AAA-1\n\n BBB-2 ' });
    expect(shown).not.toContain('AAA-1');
    const items = [
      { id: 'vip-fur-1-woche', name: 'VIP für 1 Woche', price: 100, role: discord.roles.vip, for: '7d' },
      { id: 'key', name: 'Key', price: 500, codeCount: 2 },
    ];
    expect((await saved()).at(-1)).toMatchObject([{ listing: null, path: 'shop', after: items }, { isSecret: true }]);
    expect(await stored('shop.key.codes', '')).toEqual(['AAA-1', 'BBB-2']);
    await press('Shop');
    await select('setup/item', ['0']);
    const limits = await open('Limits');
    await submit(limits.id, { stock: '5', needsRole: [discord.roles.moderator] });
    await press('Shop');
    await select('setup/item', ['1']);
    expect(await press('Remove')).toContain('Remove Key?');
    await press('Remove');
    await press('Shop');
    expect(text()).toContain('VIP für 1 Woche (**100** credits)');
    expect(text()).not.toContain('Key');
  });

  it('describes an item, says when it is sold in the local time, and moves it', async () => {
    const { settings, author, read, stored, press, open, submit, fill, select, text, discord } = await managed();
    const changes = [{ listing: null, path: 'timeZone', value: 'Europe/Berlin' } as const];
    await settings.save({ ...author(), basis: null, changes });
    const role = { itemRole: [discord.roles.vip], itemFor: '7d' };
    for (const itemName of ['One', 'Two']) await fill('Shop', 'Add a role', { ...role, itemName, price: '10' });
    await press('Shop');
    await select('setup/item', ['1']);
    const shopNow = async () => (await stored('shop', '')) as readonly Record<string, unknown>[];
    const looks = { description: 'Shines.', emoji: '🎁' };
    const picture = 'https://example.com/gem.png';
    await submit((await open('Description and picture')).id, { ...looks, itemPicture: picture });
    await press('Shop');
    await select('setup/item', ['1']);
    const sale = { limit: '2', from: '2026-12-24 18:00', until: '2027-07-01' };
    await submit((await open('Limits')).id, { ...sale, stock: '', needsRole: [] });
    expect((await shopNow())[1]).toMatchObject({
      ...{ ...looks, picture, limit: 2, from: '2026-12-24T17:00:00.000Z', until: '2027-06-30T22:00:00.000Z' },
    });
    await press('Shop');
    await select('setup/item', ['1']);
    const again = JSON.stringify((await open('Limits')).modal);
    expect(again).toContain('"value":"2026-12-24 18:00"');
    for (const until of ['2027-02-31', 'soon', '2026-12-24 18:00']) {
      await submit((await open('Limits')).id, { ...sale, stock: '', needsRole: [], until });
      expect(text()).toContain('Not saved yet');
      await press('Overview');
      await press('Shop');
      await select('setup/item', ['1']);
    }
    expect(await press('Up')).toContain('New order: Two, One');
    expect((await shopNow()).map(({ name }) => name)).toEqual(['Two', 'One']);
    await press('Shop');
    await select('setup/item', ['0']);
    expect(await press('Remove')).toContain('Remove Two?');
    expect(await press('Remove')).toContain('Removed: Two, **10** credits');
    expect((await read()).length).toBe(1);
  });

  it('asks about an item that costs nothing, and one with the name of another', async () => {
    const { discord, stored, press, open, submit, fill, select } = await managed();
    const item = { itemName: 'VIP', itemRole: [discord.roles.vip], itemFor: '7d' };
    expect(await fill('Shop', 'Add a role', { ...item, price: '0' })).toContain('enter the word free as the price');
    expect(await stored('shop', '')).toBeUndefined();
    await press('Overview');
    expect(await fill('Shop', 'Add a role', { ...item, price: 'Free' })).toContain('Added: VIP, free');
    const same = await fill('Shop', 'Add a role', { ...item, itemName: 'vip', price: '10' });
    expect(same).toContain('There is one with this name already');
    await press('Overview');
    await press('Shop');
    await select('setup/item', ['0']);
    // Untouched, it stays free.
    const edit = await open('Edit');
    expect(JSON.stringify(edit.modal)).toContain('"value":"free"');
    await submit(edit.id, { ...item, itemName: 'VIP!', price: 'free' });
    expect(await stored('shop', '')).toMatchObject([{ name: 'VIP!', price: 0 }]);
  });

  it('asks for the channel for reports with an item that the team fulfils, and keeps the two together', async () => {
    const { discord, settings, author, saved, press, open, submit, fill } = await managed();
    const own = discord.channels.general;
    const missing = '**Reports**: none\n-# For problems and purchases that your team fulfils.';
    await press('Shop');
    const form = await open('Add another item');
    expect(form.modal.components.map((each) => 'component' in each && each.component.type)).toEqual([4, 4, 8]);
    const values = { itemName: 'A painting', price: '5' };
    await expect(submit(form.id, values)).rejects.toThrow('The select requires 1 to 1 values');
    expect(await submit(form.id, { ...values, ownerChannel: [own] })).toContain('A painting');
    expect((await saved()).at(-1)).toMatchObject([{ path: 'shop' }, { path: 'ownerChannelId', after: own }]);
    await press('Shop');
    const another = await open('Add another item');
    expect(another.modal.components).toHaveLength(2);
    await press('Overview');
    expect(await fill('Channels', 'Edit', { announceChannel: [own], ownerChannel: [] })).toContain(missing);
    // Whatever saves it: imports, and changes that are undone, too.
    const changes = [{ listing: null, path: 'ownerChannelId', value: null } as const];
    expect(await settings.save({ ...author(), basis: null, changes })).toMatchObject({
      issues: [{ code: 'missing', path: 'ownerChannelId' }],
    });
    const { latestChange } = await settings.read(discord.guildId);
    expect(latestChange?.changes).toHaveLength(2);
  });

  it('takes codes and exported settings as files, and says why a file cannot be used', async () => {
    const { discord, settings, listing, author, stored, press, open, submit, fill, text } = await managed();
    await press('Shop');
    const codes = await open('Add codes');
    expect(codes.modal.components.map((each) => 'component' in each && each.component.type)).toEqual([4, 4, 4, 19]);
    const values = { itemName: 'Key', price: '500', codes: 'AAA-1' };
    const shown = await submit(codes.id, { ...values, codesFile: file('\uFEFFBBB-2\r\nCCC-3\n') });
    expect(shown).toContain('Added: Key, **500** credits');
    expect(shown).not.toMatch(/BBB|attachments/);
    expect(await stored('shop.key.codes', '')).toEqual(['AAA-1', 'BBB-2', 'CCC-3']);

    await settings.save({ ...author(), basis: null, changes: [{ listing, path: 'rewards.vote', value: 7 }] });
    const exported = await settings.export(discord.guildId);
    await settings.save({ ...author(), basis: null, changes: [{ listing, path: 'rewards.vote', value: 8 }] });
    await press('Overview');
    for (const [unusable, size] of [
      [Buffer.from([0xff, 0xfe, 0x00]), 'binary'],
      ['a'.repeat(256 * 1024 + 1), 'too long'],
    ] as const) {
      const form = await open('Import');
      expect(await submit(form.id, { settingsFile: file(unusable) }), size).toContain('The file could not be read.');
      expect(text()).toContain('256 KB');
      await press('Overview');
    }
    const form = await open('Import');
    expect(await submit(form.id, { settingsFile: file(exported) })).toContain('**8** credits → **7** credits');
    expect(await fill('Overview', 'Import', {})).toContain('Not saved yet');
  });

  it('gives the bot the name, picture and banner of the server, in this server alone', async () => {
    const icons = await startFakeService();
    onTestFinished(() => icons.close());
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    icons.respondWith((response) => response.end(png));
    const { discord, press, open, submit, text } = await managed({ cdn: icons.origin });
    const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
    const own = async () => {
      const { id } = (await rest.get(Routes.user())) as { id: string };
      return rest.get(Routes.guildMember(discord.guildId, id));
    };
    await press('Name and picture');
    const first = await open('Edit');
    const values = { nick: 'Harbour @everyone', picture: 'icon', bannerFile: file(png) };
    expect(await submit(first.id, values)).toContain('Discord shows it in a moment');
    expect(await own()).toMatchObject({
      nick: 'Harbour @everyone',
      avatar: expect.any(String),
      banner: expect.any(String),
    });
    expect(icons.requests[0]?.url).toContain(`/icons/${discord.guildId}/`);

    await press('Name and picture');
    const unusable = await open('Edit');
    expect(JSON.stringify(unusable.modal)).toContain('"value":"Harbour @everyone"');
    const noPicture = { nick: 'Other', picture: 'upload', pictureFile: file('<svg onload=alert(1)>') };
    expect(await submit(unusable.id, noPicture)).toContain('There is no picture that can be used');
    expect(text()).not.toMatch(/attachments|svg/);
    expect(await own()).toMatchObject({ nick: 'Harbour @everyone' });

    const reset = await open('Edit again');
    await submit(reset.id, { nick: '', picture: 'own' });
    expect(await own()).toMatchObject({ nick: null, avatar: null, banner: null });
  });

  it('says which permission is missing to change the name', async () => {
    const { discord, press, open, submit } = await managed();
    discord.guild.setRolePermissions(discord.guildId, ['viewChannel', 'sendMessages', 'useApplicationCommands']);
    await press('Name and picture');
    const form = await open('Edit');
    expect(await submit(form.id, { nick: 'Harbour', picture: 'keep' })).toContain('*Change Nickname*');
  });

  it('rotates a secret, which is shown once, and unlinks after a confirmation', async () => {
    const { listing, stored, read, press, open, submit, text } = await managed();
    await press('Listing');
    expect(text()).toContain(`https://votes.example.org/webhooks/${listing}/vote`);
    const form = await open('New vote secret');
    const shown = await submit(form.id, { secret: '' });
    const [secret = ''] = (await stored('voteSecrets')) as string[];
    expect(shown).toContain(secret);
    expect(await press('Listing')).not.toContain(secret);
    await press('Unlink');
    expect(await read()).toHaveLength(1);
    await press('Yes, unlink');
    expect(await read()).toEqual([]);
    expect(await press('Overview')).toContain('Choose the site on which');
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

describe('/setup for prizes', () => {
  it('adds, changes and removes the prizes of a board, a line for each range of places', async () => {
    const { fill, press, open, submit } = await managed();
    const entered = { board: ['week streak'], places: '1: 1000\n #2 – 10: 200 ', minVotes: '5' };
    const add = (values: object) => fill('Prizes', 'setup/entry:f=prize', { ...entered, ...values }, ['new']);
    expect(await add({})).toContain(
      'Longest streaks at the end of a week: #1: **1,000** credits, #2–10: **200** credits',
    );
    await press('Prizes');
    const form = await open('setup/entry:f=prize', ['0']);
    expect(JSON.stringify(form.modal)).toContain('1: 1000\\n2-10: 200');
    expect(await submit(form.id, { ...entered, places: '3: 7' })).toContain('#3: **7** credits');
    expect(await add({})).toContain('There are prizes for this already.');
    const again = async (places: string) =>
      submit((await open('Edit again')).id, { ...entered, board: ['month votes'], places });
    expect(await again('first: 10')).toContain('such as 2-10: 200');
    expect(await again('1-3: 1\n2: 5')).toContain('Two lines have the same place.');
    expect(await again('1: 5')).toContain('Most votes of a month: #1: **5** credits');
    await fill('Prizes', 'setup/entry:f=prize', { ...entered, remove: true }, ['1']);
    expect(await fill('Prizes', 'setup/entry:f=prize', { ...entered, remove: true }, ['0'])).toContain('→ none');
  });
});

describe('/setup for raffles', () => {
  it('starts, changes and ends the raffles of a server', async () => {
    const { fill, press, open, submit } = await managed();
    const entered = { winners: '3', raffleCredits: '300', per: 'week', ticketsPerVote: '', maxTickets: '14' };
    expect(await fill('Prizes', 'Raffle', entered)).toContain('**300** credits for **3** members in a Week');
    await press('Prizes');
    const form = await open('Raffle');
    expect(JSON.stringify(form.modal)).toContain('"value":"14"');
    expect(await submit(form.id, { ...entered, winners: '26' })).toContain('Enter a whole number from 1 to 25.');
    const again = async (values: object) => submit((await open('Edit again')).id, { ...entered, ...values });
    expect(await again({ raffleCredits: '' })).toContain('Enter a whole number from 1 to 1,000,000.');
    expect(await again({ winners: '' })).toContain('→ none');
  });
});

describe('/setup for webhooks', () => {
  const secretIn = (text: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(text)?.[0] ?? '';
  const privateTargets = { environment: { WEBHOOK_PRIVATE_TARGETS: 'on' } };

  it('adds an address with a secret that is shown once, tests it, and replaces the secret without a gap', async () => {
    const { url, received } = await eventReceiver(204, 500);
    const { settings, discord, press, open, submit, fill, saved, text } = await managed(privateTargets);
    const verify = (secret: string) => {
      const { headers = {}, body = '' } = received.at(-1) ?? {};
      return new Webhook(secret).verify(body, headers as Record<string, string>);
    };
    const added = await fill('Webhooks', 'Add an address', { url, events: ['vote.recorded', 'party.reached'] });
    const first = secretIn(added);
    expect(await press('Send a test')).toMatch(/The test was accepted: \*\*204\*\* in \d+ ms/);
    expect(verify(first)).toMatchObject({ type: 'webhook.test' });
    expect(text()).toContain('vote.recorded, party.reached');
    const replaced = await press('New secret');
    const second = secretIn(replaced);
    expect(replaced).toContain('The one before stays valid');
    expect(await press('Send a test')).toContain('The endpoint returned 500');
    expect([verify(first), verify(second)]).toHaveLength(2);
    expect(text()).toContain('2 secrets');
    await press('Remove old secrets');
    await press('Webhooks');
    expect(text()).toContain('failing since');
    await press('Open');
    await press('Send a test');
    expect(() => verify(first)).toThrow();
    expect(verify(second)).toMatchObject({ type: 'webhook.test' });
    expect(await press('Attempts')).toMatch(/webhook\.test · \*\*500\*\* · \d+ ms\n-# The endpoint returned 500/);

    // Neither another edit nor an export with its import shows or loses the secret.
    await press('Open');
    const events = await open('Events');
    expect(await submit(events.id, { events: ['vote.recorded'] })).toContain('→ ');
    const exported = await settings.export(discord.guildId);
    await press('Overview');
    const form = await open('Import');
    await submit(form.id, { settings: exported.replace('vote.recorded', 'vote.reversed') });
    await press('Overview');
    await press('Webhooks');
    expect(await press('Open')).toContain('vote.reversed');
    await press('Send a test');
    expect(verify(second)).toMatchObject({ type: 'webhook.test' });

    await press('Remove');
    await press('Remove');
    expect(await settings.export(discord.guildId)).not.toContain(url);
    await press('Undo');
    await press('Overview');
    await press('Webhooks');
    await press('Open');
    await press('Send a test');
    expect(verify(second)).toMatchObject({ type: 'webhook.test' });
    await press('Webhooks');
    expect(await press('Reset')).toContain('→ not set');
    const everything = JSON.stringify([await saved(), exported, await settings.read(discord.guildId), text()]);
    for (const secret of [first, second]) expect([secret.length, everything.includes(secret)]).toEqual([50, false]);
  });

  it('says why an address is rejected, and keeps what was entered', async () => {
    const { saved, fill, open, press, text } = await managed();
    for (const [url, reason] of [
      ['nothing', 'Enter a complete address that begins with https'],
      ['http://bot.example.com/', 'The address has to begin with https'],
      ['https://192.168.0.7/hook', 'is not on the public internet'],
      ['https://me:pass@bot.example.com/', 'must not contain a user name or password'],
    ] as const) {
      expect(await fill('Webhooks', 'Add an address', { url, events: [] }), url).toContain(reason);
      const again = await open('Edit again');
      expect(JSON.stringify(again.modal)).toContain(`"value":"${url}"`);
      await press('Overview');
    }
    expect([await saved(), text().includes('whsec_')]).toEqual([[], false]);
  });

  it('keeps the secrets of the operator, and lists an address twice nowhere', async () => {
    const { url, received } = await eventReceiver(204);
    const secret = 'the secret of the operator'.replaceAll(' ', '-');
    const other = `${url}/other`;
    const { press, fill, text } = await managed({
      ...{ file: {}, environment: { WEBHOOK_PRIVATE_TARGETS: 'on', WEBHOOK_URL: url, WEBHOOK_SECRET: secret } },
    });
    await fill('Webhooks', 'Add an address', { url: other, events: [] });
    await press('Webhooks');
    expect(text()).not.toContain('/hook');
    await press('setup/webhook:');
    await press('Send a test');
    const { headers = {}, body = '' } = received[0] ?? {};
    expect(
      new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers as Record<string, string>),
    ).toBeDefined();
    expect(await fill('Webhooks', 'Add an address', { url: other, events: [] })).toContain('in the list already');
  });
});
