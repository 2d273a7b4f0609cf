import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Client,
  EmbedBuilder,
  Events,
  GatewayIntentBits,
  type Interaction,
  ModalBuilder,
  SlashCommandBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createTestBot, RejectedByClientError, type TestBotOptions } from '../src/index.ts';

const button = (id: string, label: string) =>
  new ButtonBuilder().setCustomId(id).setLabel(label).setStyle(ButtonStyle.Primary);
const row = (...buttons: ButtonBuilder[]) => new ActionRowBuilder<ButtonBuilder>().addComponents(buttons);

type Run = (interaction: ChatInputCommandInteraction) => Promise<unknown>;

/** Starts a bot with one command, /do. */
async function startBot(run: Run, options: TestBotOptions = {}, builder = new SlashCommandBuilder()) {
  const client = new Client({ intents: [GatewayIntentBits.Guilds] });
  async function handle(interaction: Interaction): Promise<void> {
    if (interaction.isChatInputCommand()) await run(interaction);
    if (interaction.isModalSubmit()) await interaction.reply(`Hello ${interaction.fields.getTextInputValue('name')}`);
    if (interaction.isAutocomplete())
      await interaction.respond([{ name: `${interaction.options.getFocused()}bour`, value: 'harbour' }]);
  }
  client.on(Events.InteractionCreate, (interaction) => void handle(interaction));
  const commands = [builder.setName('do').setDescription('Does it.')];
  const bot = await createTestBot(client, { commands, ...options });
  onTestFinished(() => bot.stop());
  return { bot, client };
}

it('runs a command as a member, and shows what can be read', async () => {
  const { bot } = await startBot(async (interaction) => {
    const embeds = [new EmbedBuilder().setTitle('Score').addFields({ name: 'Votes', value: '7' })];
    await interaction.reply({ content: `For ${interaction.user.displayName}`, embeds, flags: 'Ephemeral' });
  });
  const reply = await bot.member('Tomás').run('/do');
  expect([reply.text, reply.ephemeral, reply.buttons]).toEqual(['For Tomás\nScore\nVotes\n7', true, []]);
});

it('passes options, also members', async () => {
  const builder = new SlashCommandBuilder();
  builder.addUserOption((option) => option.setName('who').setDescription('who').setRequired(true));
  const { bot } = await startBot(
    (interaction) => interaction.reply(`For ${interaction.options.getUser('who', true).username}`),
    { members: ['Ann', 'Bob'] },
    builder as SlashCommandBuilder,
  );
  const reply = await bot.member('Ann').run('do', { who: bot.member('Bob') });
  expect(reply.text).toBe('For bob');
  const rejected = bot.member().run('/do');
  await expect(rejected).rejects.toBeInstanceOf(RejectedByClientError);
  await expect(rejected).rejects.toMatchObject({ code: 'option_missing' });
  expect(() => bot.member('Eve')).toThrow(
    expect.objectContaining({ code: 'unknown_user', hint: 'There are Ann, Bob.' }),
  );
});

it('clicks as soon as the bot has replied, although its collector is created later', async () => {
  const { bot } = await startBot(async (interaction) => {
    const response = await interaction.reply({ content: 'Page 1', components: [row(button('next', 'Next'))] });
    for (let turn = 0; turn < 30; turn += 1) await nextTurn(); // as a query of a database
    const click = await response.awaitMessageComponent({ time: 10_000 });
    await click.update({ content: `Page 2 for ${click.user.displayName}`, components: [] });
  });
  for (let time = 0; time < 10; time += 1) {
    const reply = await bot.member('Mira').run('/do');
    expect(reply.buttons).toEqual(['Next']);
    const updated = await reply.click('Next', { by: bot.member('Tomás') });
    expect([updated.text, updated.buttons, reply.text]).toEqual(['Page 2 for Tomás', [], 'Page 2 for Tomás']);
  }
});

it('says which buttons there are', async () => {
  const { bot } = await startBot((interaction) =>
    interaction.reply({ content: '…', components: [row(button('a', 'Yes'), button('b', 'No'))] }),
  );
  const reply = await bot.member().run('/do');
  await expect(reply.click('Maybe')).rejects.toMatchObject({
    code: 'unknown_component',
    message: 'The message has no button "Maybe": it has "Yes", "No".',
  });
});

it('selects by label', async () => {
  const options = [
    { label: 'Red', value: 'r' },
    { label: 'Blue', value: 'b' },
  ];
  const { bot } = await startBot(async (interaction) => {
    const select = new StringSelectMenuBuilder().setCustomId('colours').setPlaceholder('Colours').addOptions(options);
    const components = [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(select.setMaxValues(2))];
    const collector = (await interaction.reply({ content: '?', components })).createMessageComponentCollector();
    collector.on('collect', (used) => {
      if (used.isStringSelectMenu()) void used.reply(used.values.join(' '));
    });
  });
  const reply = await bot.member().run('/do');
  expect((await reply.select(['Red', 'b'], { from: 'Colours' })).text).toBe('r b');
});

it('submits a modal by the labels of its fields', async () => {
  const { bot } = await startBot(async (interaction) => {
    const input = new TextInputBuilder().setCustomId('name').setLabel('Your name').setStyle(TextInputStyle.Short);
    const modal = new ModalBuilder().setCustomId('m').setTitle('Welcome');
    await interaction.showModal(modal.addComponents(new ActionRowBuilder<TextInputBuilder>().addComponents(input)));
  });
  const reply = await bot.member().run('/do');
  expect([reply.text, reply.message]).toEqual(['Welcome', null]);
  expect((await reply.submit({ 'Your name': 'Ann' })).text).toBe('Hello Ann');
});

it('completes an option', async () => {
  const builder = new SlashCommandBuilder();
  builder.addStringOption((option) => option.setName('place').setDescription('place').setAutocomplete(true));
  const { bot } = await startBot(async () => {}, {}, builder as SlashCommandBuilder);
  expect(await bot.member().complete('/do', 'place', 'har')).toEqual([{ name: 'harbour', value: 'harbour' }]);
});

it('waits for messages that answer nobody, in a channel and to a member', async () => {
  const { bot, client } = await startBot(async (interaction) => {
    await interaction.reply('Done');
    await interaction.followUp('Really');
  });
  const channel = await client.channels.fetch(bot.discord.channels.announcements);
  await bot.member().run('/do');
  setTimeout(() => void (channel?.isSendable() && channel.send('News')), 20);
  expect((await bot.nextMessage('announcements')).text).toBe('News');
  const member = bot.member('Mira');
  void client.users.send(member.id, 'Psst');
  expect((await bot.nextMessage(member)).text).toBe('Psst');
});

it('rejects a client that has logged in', async () => {
  const { bot, client } = await startBot((interaction) => interaction.reply('…'));
  await expect(createTestBot(client)).rejects.toMatchObject({ code: 'invalid_options' });
  expect((await bot.member().run('/do')).text).toBe('…');
});
