import { systemClock } from '@tallyhook/platform/clock';
import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { lines, markup } from '@tallyhook/platform/texts/markup';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  REST,
  Routes,
  SlashCommandBuilder,
} from 'discord.js';
import type { LocalDiscord } from 'local-discord';
import { describe, expect, it } from 'vitest';
import type { CommandOptions, CustomCommand, DiscordJsCommand } from '../../commands/custom-command.ts';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import type { App } from '../../src/app/app-interface.ts';
import { localDiscord } from '../support/local-discord.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../support/settings.ts';
import { startApp } from '../support/start-app.ts';

const theirHelp = new SlashCommandBuilder().setName('help').setDescription('How to play.').toJSON();
const ping = new SlashCommandBuilder().setName('ping').setDescription('Replies with Pong.').toJSON();

function environmentOf(discord: Parameters<typeof settings>[0], databaseUrl = newSqliteUrl()) {
  return { ...settings(discord), DATABASE_URL: databaseUrl, CACHE_URL: 'memory:' };
}

/** What a bot in the shape of discord.js's guide does: its commands, its handler, and its deploy script. */
async function guideBot(discord: LocalDiscord) {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: discord.apiUrl } });
  const names = new Set<string>();
  const seen: Interaction[] = [];
  const unknown: string[] = [];
  const replies: Promise<unknown>[] = [];
  let app: App | undefined;
  client.on(Events.InteractionCreate, (interaction) => {
    seen.push(interaction);
    if (app?.owns(interaction) === true || !interaction.isChatInputCommand()) return;
    if (names.has(interaction.commandName)) replies.push(interaction.reply('from the bot'));
    else unknown.push(interaction.commandName);
  });
  await client.login(discord.token);
  onFinished(() => client.destroy());
  const rest = new REST({ api: discord.apiUrl }).setToken(discord.token);
  return {
    ...{ client, seen, unknown, replies },
    /** As `deploy-commands.js` does. */
    async deploy(own: readonly (typeof ping)[], others: readonly object[] = []) {
      for (const { name } of own) names.add(name);
      await rest.put(Routes.applicationCommands(discord.applicationId), { body: [...own, ...others] });
    },
    ignoreOwned(created: App) {
      app = created;
    },
  };
}

/** Starts tallyhook beside the bot, until the end of the test or its `stop`. */
async function beside(
  discord: LocalDiscord,
  options: { readonly client?: Client; readonly commands?: CommandOptions; readonly databaseUrl?: string },
) {
  const { databaseUrl, ...dependencies } = options;
  const { log, logged } = collectingLog();
  const { app } = await startApp(environmentOf(discord, databaseUrl), { log, ...dependencies });
  await expect.poll(() => logged.map(({ msg }) => msg), { timeout: 10_000 }).toContain('slash commands registered');
  await expect.poll(() => discord.connected, { timeout: 10_000 }).toBe(true);
  return { app, logged };
}

const textOf = (message: { content: string; embeds: readonly { title?: string | undefined }[] }) =>
  message.content || message.embeds[0]?.title;

async function run(discord: LocalDiscord, name: string) {
  const [member] = discord.members;
  const use = { name, userId: member?.id ?? '', channelId: discord.channels.general };
  return textOf(await discord.runCommand(use).settled);
}

/** A member uses a command in the menu of another. */
function useOn(discord: LocalDiscord, name: string) {
  const [member, other] = discord.members.map(({ id }) => id);
  const use = { name, userId: member ?? '', targetId: other ?? '', channelId: discord.channels.general };
  return discord.runUserCommand(use);
}

const idOf = (discord: LocalDiscord, name: string) => discord.commands().find((command) => command.name === name)?.id;
const descriptionOf = (discord: LocalDiscord, name: string) =>
  discord.commands().find((command) => command.name === name)?.description;

describe('beside a bot of the guide', () => {
  it('a command that the bot deploys over ours stays theirs, after a restart and in both orders', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const bot = await guideBot(discord);
    const databaseUrl = newSqliteUrl();
    const first = await beside(discord, { client: bot.client, databaseUrl });
    expect(await run(discord, 'help')).toBe('Commands');
    const ourId = idOf(discord, 'help');
    await bot.deploy([theirHelp]);
    expect(idOf(discord, 'help')).toBe(ourId);
    await first.app.stop();
    for (const url of [databaseUrl, newSqliteUrl()]) {
      const { app, logged } = await beside(discord, { client: bot.client, databaseUrl: url });
      bot.ignoreOwned(app);
      expect(descriptionOf(discord, 'help')).toBe('How to play.');
      expect(await run(discord, 'help')).toBe('from the bot');
      expect(await run(discord, 'credits')).toBe('Credits');
      expect(logged.filter(({ msg }) => /another program has the same name/.test(msg))).toMatchObject([
        { command: 'help' },
      ]);
      expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
      await app.stop();
    }
  });

  it.each([
    ['and the bot does not ask whose it is', false],
    ['and the bot asks whose it is', true],
  ])('a command that it puts in the place of ours while we run is answered once, %s', async (_case, asks) => {
    const discord = await localDiscord({ rateLimits: false });
    const bot = await guideBot(discord);
    const { app } = await beside(discord, { client: bot.client });
    if (asks) bot.ignoreOwned(app);
    const before = discord.requests.length;
    const answers = () =>
      discord.requests.slice(before).filter(({ path }) => /^\/interactions\/\d+\/.*\/callback/.test(path)).length;
    await bot.deploy([theirHelp]);
    const texts = [await run(discord, 'help'), await run(discord, 'help')];
    if (!asks) expect(texts).toEqual(['from the bot', 'from the bot']);
    await app.stop();
    await Promise.all(bot.replies);
    expect(answers()).toBe(2);
  });

  it('what its deploy script takes from us is recognised and answered, at the start and while running', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const bot = await guideBot(discord);
    const commands = { exclude: ['help'], own: [daily] };
    const created = await createApp(loadConfig(environmentOf(discord)), {
      ...{ clock: systemClock, log: collectingLog().log, commands },
    });
    await bot.deploy([theirHelp, ping], created.commandData());
    await created.stop();

    const before = discord.requests.length;
    const { app } = await beside(discord, { client: bot.client, commands });
    bot.ignoreOwned(app);
    const writes = discord.requests
      .slice(before)
      .filter(({ method, path }) => method !== 'GET' && /commands/.test(path));
    expect(writes).toEqual([]);
    expect([await run(discord, 'help'), await run(discord, 'credits')]).toEqual(['from the bot', 'Credits']);

    // With other ids.
    await bot.deploy([theirHelp, ping]);
    await bot.deploy([theirHelp, ping], app.commandData());
    expect([await run(discord, 'credits'), await run(discord, 'daily')]).toEqual(['Credits', '5 credits']);
    expect([await run(discord, 'help'), await run(discord, 'ping')]).toEqual(['from the bot', 'from the bot']);
    expect(app.owns({ type: 2, data: { id: idOf(discord, 'daily') ?? '', type: 1 } })).toBe(true);
  });

  it('leaves out what is excluded: a command with its entry in the menu of a member, or that entry alone', async () => {
    const discord = await localDiscord({ rateLimits: false });
    await guideBot(discord);
    const menus = () => discord.commands().flatMap(({ type, name }) => (type === 2 ? [name] : []));
    await beside(discord, { commands: { exclude: ['credits', 'Award credits'] } });
    await expect.poll(menus).toEqual(['Trace votes']);
    expect(discord.commands().map(({ name }) => name)).toContain('award');
    expect(discord.commands().map(({ name }) => name)).not.toContain('credits');
    await expect(beside(discord, { commands: { exclude: ['Award credit'] } })).rejects.toThrow(
      'Did you mean Award credits?',
    );
  });

  it('owns its commands, buttons, selects and modals, of discord.js and as Discord sends them', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const bot = await guideBot(discord);
    const { app } = await beside(discord, { client: bot.client });
    bot.ignoreOwned(app);
    await bot.deploy([ping], [...app.commandData(), { type: 2, name: 'ping' }]);
    expect(await run(discord, 'credits')).toBe('Credits');
    expect(await run(discord, 'ping')).toBe('from the bot');
    expect(textOf(await useOn(discord, 'Credits').settled)).toBe('Credits');
    useOn(discord, 'ping');
    await expect.poll(() => bot.seen.length).toBe(4);
    expect(bot.seen.map((interaction) => app.owns(interaction))).toEqual([true, false, true, false]);
    expect(bot.unknown).toEqual([]);
    const menuIdOf = (name: string) =>
      discord.commands().find((each) => each.type === 2 && each.name === name)?.id ?? '';
    const [credits, pingId] = [idOf(discord, 'credits') ?? '', idOf(discord, 'ping') ?? ''];
    const owned = [
      ...[2, 4].map((type) => ({ type, data: { id: credits, type: 1 } })),
      { type: 2, data: { id: menuIdOf('Credits'), type: 2 } },
      ...[3, 5].map((type) => ({ type, data: { custom_id: 'tallyhook:shop/buy:item=vip' } })),
      ...[3, 5].map((type) => ({ type, customId: 'tallyhook:shop/buy:item=vip' })),
    ];
    const foreign = [
      ...[2, 4].map((type) => ({ type, data: { id: pingId, type: 1 } })),
      { type: 2, data: { id: menuIdOf('ping'), type: 2 } },
      ...[3, 5].map((type) => ({ type, data: { custom_id: 'tally:buy' } })),
      ...[{ type: 1 }, { type: 2, data: { id: credits, type: 3 } }, { type: 3 }],
    ];
    expect(owned.map(app.owns)).toEqual(owned.map(() => true));
    expect(foreign.map(app.owns)).toEqual(foreign.map(() => false));
  });
});

const daily: CustomCommand = {
  name: 'daily',
  visibility: 'private',
  describe: () => ({ description: 'Collect 5 credits, once a day.', options: [] }),
  async execute({ userId }, { ledger }) {
    const { balance } = await ledger.award({ userId, credits: 5, reason: 'daily credits', key: `daily ${userId}` });
    return { tone: 'good', title: markup`${balance} credits`, text: lines(markup`${10n} ${-1.5}`) };
  },
};

describe('commands that are left out', () => {
  it('are deleted if they were registered before, not listed in /help, and their names are free', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const databaseUrl = newSqliteUrl();
    const first = await beside(discord, { databaseUrl });
    expect(idOf(discord, 'stats')).toBeDefined();
    await first.app.stop();
    const commands = { exclude: ['stats', 'shop', 'leaderboard'], own: [{ ...daily, name: 'leaderboard' }, daily] };
    const { app } = await beside(discord, { databaseUrl, commands });
    const names = discord.commands().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['help', 'daily', 'credits', 'leaderboard']));
    expect(names.filter((name) => ['stats', 'shop'].includes(name))).toEqual([]);
    const offered = app.commandData().map(({ name }) => name);
    expect(offered.toSorted()).toEqual(names.toSorted());
    expect(await run(discord, 'leaderboard')).toBe('5 credits');
    const [member] = discord.members;
    const use = { name: 'help', userId: member?.id ?? '', channelId: discord.channels.general };
    const text = (await discord.runCommand(use).settled).embeds[0]?.description;
    expect(text).toContain('</credits:');
    expect(text).not.toContain('/stats');
  });

  it('must exist', async () => {
    const { log } = collectingLog();
    const create = (commands: unknown) =>
      createApp(loadConfig(environmentOf(unreachableDiscord)), {
        clock: systemClock,
        log,
        commands: commands as never,
      });
    await expect(create({ exclude: ['help', 'leaderbord', 'music'] })).rejects.toMatchObject({
      code: 'invalid_options',
      issues: [
        { path: ['commands', 'exclude', 1], hint: 'Did you mean leaderboard?' },
        { path: ['commands', 'exclude', 2], hint: expect.stringContaining('canvote, credits') },
      ],
    });
    await expect(create({ exlude: ['help'] })).rejects.toMatchObject({
      issues: [{ path: ['commands', 'exlude'], hint: 'Did you mean exclude?' }],
    });
    await expect(create({ own: [{ name: 'x' }] })).rejects.toMatchObject({ code: 'invalid_options' });
    await expect(create([daily, daily])).rejects.toMatchObject({ code: 'command_name_taken' });
  });
});

it('the data of all commands needs no Discord, and has translations', async () => {
  const app = await createApp(loadConfig(environmentOf(unreachableDiscord)), {
    ...{ clock: systemClock, log: collectingLog().log },
  });
  onFinished(() => app.stop());
  const [credits] = app.commandData().filter(({ name }) => name === 'credits');
  expect(credits).toMatchObject({ type: 1, contexts: [0, 1, 2], options: [{ name: 'user', type: 6 }] });
  expect(Object.keys(credits?.description_localizations ?? {})).toContain('de');
});

describe("commands in discord.js's own shape", () => {
  let collecting = Promise.withResolvers<void>();
  const shop: DiscordJsCommand = {
    data: new SlashCommandBuilder()
      .setName('market')
      .setDescription('Buys and sells.')
      .addSubcommand((buy) =>
        buy
          .setName('buy')
          .setDescription('Buys something.')
          .addStringOption((item) => item.setName('item').setDescription('What.').setAutocomplete(true)),
      )
      .addSubcommand((fail) => fail.setName('fail').setDescription('Fails.')),
    async execute(interaction, { ledger }) {
      if (interaction.options.getSubcommand() === 'fail') throw new Error('out of swords');
      await ledger.award({ userId: interaction.user.id, credits: 7, reason: 'start', key: interaction.id });
      const button = new ButtonBuilder().setCustomId('confirm').setLabel('Confirm').setStyle(ButtonStyle.Primary);
      const reply = await interaction.reply({
        content: `Buy ${interaction.options.getString('item')}?`,
        components: [new ActionRowBuilder<ButtonBuilder>().addComponents(button)],
        flags: MessageFlags.Ephemeral,
      });
      const pressing = reply.awaitMessageComponent({ time: 10_000 });
      collecting.resolve();
      const pressed = await pressing;
      const { balance } = await ledger.spend({
        ...{ userId: interaction.user.id, credits: 2, reason: 'a sword', key: `${interaction.id} paid` },
      });
      await pressed.update({ content: `Bought, ${balance} credits left`, components: [] });
    },
    async autocomplete(interaction) {
      await interaction.respond([{ name: `${interaction.options.getFocused()}word`, value: 'sword' }]);
    },
  };
  const plain: DiscordJsCommand = { data: ping, execute: (interaction) => interaction.reply('Pong!') };

  it.each(['its own client', "tallyhook's connection"])('are run with the interactions of %s', async (whose) => {
    const discord = await localDiscord({ rateLimits: false });
    collecting = Promise.withResolvers();
    const { client } = whose === 'its own client' ? await guideBot(discord) : {};
    const databaseUrl = newSqliteUrl();
    const options = { ...(client && { client }), databaseUrl, commands: { exclude: ['help'], own: [shop, plain] } };
    const first = await beside(discord, options);
    expect(discord.commands().find(({ name }) => name === 'market')).toMatchObject({
      options: [{ name: 'buy', options: [{ name: 'item', autocomplete: true }] }, { name: 'fail' }],
    });
    expect(await run(discord, 'ping')).toBe('Pong!');
    expect(await run(discord, 'credits')).toBe('Credits');

    const [member] = discord.members;
    const use = { name: 'market buy', userId: member?.id ?? '', channelId: discord.channels.general };
    const choices = await discord.autocomplete({ ...use, focused: { name: 'item', value: 's' } });
    expect(choices).toMatchObject([{ name: 'sword' }]);
    const asked = await discord.runCommand({ ...use, options: { item: 'sword' } }).settled;
    expect(asked.content).toBe('Buy sword?');
    await collecting.promise;
    discord.clickButton(asked.id, 'confirm', use.userId);
    const contents = () => discord.messages(use.channelId, use.userId).map(({ content }) => content);
    await expect.poll(contents).toContain('Bought, 5 credits left');
    const failed = await discord.runCommand({ ...use, name: 'market fail' }).settled;
    expect(failed.embeds[0]?.description).toMatch(/\w{6}/);
    expect(first.logged.filter(({ level }) => level >= 50)).toMatchObject([
      { command: 'market', msg: 'command failed' },
    ]);
    expect(first.app.owns({ type: 2, data: { id: idOf(discord, 'market') ?? '', type: 1 } })).toBe(true);
    await first.app.stop();

    // Unchanged at the next start.
    const before = discord.requests.length;
    await beside(discord, options);
    const writes = discord.requests
      .slice(before)
      .filter(({ method, path }) => method !== 'GET' && /commands/.test(path));
    expect(writes).toEqual([]);
  });

  it('need the gateway', async () => {
    const environment = { ...environmentOf(unreachableDiscord), DISCORD_PUBLIC_KEY: 'ab'.repeat(32) };
    const { log } = collectingLog();
    const created = createApp(loadConfig(environment), { clock: systemClock, log, commands: [plain] });
    await expect(created).rejects.toMatchObject({
      code: 'command_needs_gateway',
      message: expect.stringContaining('/ping'),
    });
  });
});
