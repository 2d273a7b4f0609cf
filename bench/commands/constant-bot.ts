/** The process of a bot that replies to each command with a constant message: `constant-bot.ts <token> <api url> <guild id>`. */
import { Client, Events, GatewayIntentBits, type InteractionReplyOptions } from 'discord.js';
import { serveParent } from '../process/child-server.ts';

const [token = '', api = '', guildId = ''] = process.argv.slice(2);
const replies = new Map<string, InteractionReplyOptions>();
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api } });
client.on(Events.InteractionCreate, (interaction) => {
  if (!interaction.isChatInputCommand()) return;
  const reply = replies.get(interaction.commandName);
  if (reply !== undefined) void interaction.reply(reply);
});
const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
await client.login(token);
const { application } = await ready;

serveParent({
  async replyWith(constants: Readonly<Record<string, InteractionReplyOptions>>) {
    for (const [name, reply] of Object.entries(constants)) replies.set(name, reply);
    const commands = Object.keys(constants).map((name) => ({ name, description: 'Answers at once.' }));
    await application.commands.set(commands, guildId);
  },
});
