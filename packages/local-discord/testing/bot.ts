import { type ApplicationCommandDataResolvable, Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import { onTestFinished } from 'vitest';
import type { LocalDiscord } from '../src/local-discord.ts';

/** A bot for tests. */
export interface Repertoire {
  readonly commands: readonly ApplicationCommandDataResolvable[];
  answer(interaction: Interaction): Promise<void>;
  /** In addition to Guilds. */
  readonly intents?: readonly GatewayIntentBits[];
}

/** Logs a bot with unmodified discord.js in to a local Discord until the test has finished. */
export async function startBot(
  discord: LocalDiscord,
  { commands, answer, intents = [] }: Repertoire,
): Promise<Client<true>> {
  const client = new Client({ intents: [GatewayIntentBits.Guilds, ...intents], rest: { api: discord.apiUrl } });
  onTestFinished(() => client.destroy());
  client.on(Events.InteractionCreate, (interaction) => void answer(interaction));
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  const connected = await ready;
  await connected.application.commands.set(commands);
  return connected;
}
