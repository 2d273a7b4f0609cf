import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, Events, GatewayIntentBits, SlashCommandBuilder } from 'discord.js';
import { createTestBot, type TestBot } from '../../src/index.ts';

const client = new Client({ intents: [GatewayIntentBits.Guilds] });
client.on(Events.InteractionCreate, (interaction) => {
  if (interaction.isChatInputCommand()) void interaction.reply('Pong!');
});
const commands = [new SlashCommandBuilder().setName('ping').setDescription('Replies with Pong!')];

let bot: TestBot;
before(async () => {
  bot = await createTestBot(client, { commands, members: ['Ann'] });
});
after(() => bot.stop());

void test('replies', async () => {
  const reply = await bot.member('Ann').run('/ping');
  assert.equal(reply.text, 'Pong!');
});
