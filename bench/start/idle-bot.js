// The least that a discord.js bot can be: it logs in and does nothing.
import { Client, GatewayIntentBits } from 'discord.js';

const [token, apiUrl] = process.argv.slice(2);
const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: apiUrl } });
await client.login(token);
