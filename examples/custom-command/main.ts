import { SlashCommandBuilder } from 'discord.js';
import { createApp, TallyhookError } from 'tallyhook';
import { type CustomCommand, type DiscordJsCommand, markup } from 'tallyhook/discord';

/** `/daily`: credits once a day, however often it is used. */
const daily: CustomCommand = {
  name: 'daily',
  visibility: 'private',
  describe: () => ({ description: 'Collect 5 credits, once a day.', options: [] }),
  async execute({ userId }, { ledger }) {
    const today = new Date().toISOString().slice(0, 10);
    const award = { userId, credits: 5, reason: 'daily credits', key: `daily ${userId} ${today}` };
    const { balance, repeated } = await ledger.award(award);
    if (repeated) return { tone: 'wait', text: markup`You have collected today's credits. Come back tomorrow.` };
    return { tone: 'good', text: markup`+5 credits. Your balance was ${balance - 5}.` };
  },
};

/** `/give`: in the shape of discord.js's guide. The id of the interaction makes sure that credits move once. */
const give: DiscordJsCommand = {
  data: new SlashCommandBuilder()
    .setName('give')
    .setDescription('Give some of your credits to another member.')
    .addUserOption((user) => user.setName('user').setDescription('To whom').setRequired(true))
    .addIntegerOption((credits) =>
      credits.setName('credits').setDescription('How many').setMinValue(1).setMaxValue(1_000).setRequired(true),
    ),
  async execute(interaction, { ledger }) {
    const credits = interaction.options.getInteger('credits', true);
    const change = { credits, reason: 'a gift', key: `gift ${interaction.id}` };
    const [from, to] = [interaction.user.id, interaction.options.getUser('user', true).id];
    try {
      const { fromBalance } = await ledger.transfer({ ...change, from, to });
      await interaction.reply(`Given. You have ${fromBalance} credits left.`);
    } catch (error) {
      if (!(error instanceof TallyhookError && error.code === 'ledger_overdrawn')) throw error;
      await interaction.reply(`You do not have ${credits} credits.`);
    }
  },
};

export const app = await createApp.fromEnvironment(process.env, {
  commands: [daily, give],
  texts: { en: { 'credits.title': 'Your coins' }, de: { 'credits.title': 'Deine Münzen' } },
});
await app.start();

process.once('SIGTERM', () => void app.stop());
