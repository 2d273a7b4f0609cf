import { Client, Events, GatewayIntentBits } from 'discord.js';
import { createApp } from 'tallyhook';

// Your bot, as it was before.
const api = process.env['DISCORD_API_URL'] ?? 'https://discord.com/api';
export const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api } });

client.on(Events.InteractionCreate, (interaction) => {
  if (app.owns(interaction) || !interaction.isChatInputCommand()) return; // tallyhook answers its own
  interaction.reply(interaction.commandName === 'ping' ? 'Pong!' : 'No such command.').catch(console.error);
});

// Its commands and votes: tallyhook uses your client, and calls onVote for every vote. Your bot has a /help of its own.
export const app = await createApp.fromEnvironment(process.env, {
  client,
  commands: { exclude: ['help'] },
  handlers: { onVote: giveRole },
});

async function giveRole({ userId }: { readonly userId: string }) {
  const guild = await client.guilds.fetch(process.env['DISCORD_GUILD_ID'] ?? '');
  const member = await guild.members.fetch(userId);
  await member.roles.add(process.env['SUPPORTER_ROLE_ID'] ?? '');
}

process.once('SIGTERM', () => void app.stop().then(() => client.destroy()));
export const url = await app.start();
await client.login(process.env['DISCORD_TOKEN']);
