import { spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { localDiscord } from '../support/local-discord.ts';

/** As in the guide of discord.js: it deploys its command, logs in and replies. It knows nothing of the local Discord. */
const bot = `
  const { Client, Events, GatewayIntentBits, REST, Routes } = require('discord.js');
  const { DISCORD_TOKEN: token, CLIENT_ID: id, GUILD_ID: guild } = process.env;
  const client = new Client({ intents: [GatewayIntentBits.Guilds] });
  client.on(Events.InteractionCreate, (interaction) => interaction.reply('Pong!'));
  const body = [{ name: 'ping', description: 'Replies with Pong.' }];
  new REST().setToken(token).put(Routes.applicationGuildCommands(id, guild), { body }).then(() => client.login(token));
`;

it('the variables of botEnvironment lead a bot that was not written for it to the local Discord', async () => {
  const discord = await localDiscord();
  const env = { ...process.env, ...discord.botEnvironment };
  const child = spawn(process.execPath, ['-e', bot], { env, stdio: 'inherit' });
  onTestFinished(() => void child.kill());
  const names = () => discord.commands().map(({ name }) => name);
  await expect.poll(() => discord.connected && names().includes('ping'), { timeout: 60_000 }).toBe(true);
  const use = { name: 'ping', userId: discord.members[0]?.id ?? '', channelId: discord.channels.general };
  expect((await discord.runCommand(use).settled).content).toBe('Pong!');
}, 90_000);
