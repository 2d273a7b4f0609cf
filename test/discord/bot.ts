import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import { onTestFinished } from 'vitest';
import type { Command, CommandContext, Reply } from '../../commands/command.ts';
import { createGatewayClient } from '../../src/discord/gateway-client.ts';
import { createGlobalRateLimit } from '../../src/discord/global-rate-limit.ts';
import { createInteractions } from '../../src/discord/interactions.ts';
import { createRegistrar } from '../../src/discord/registrar.ts';
import type { Registration } from '../../src/discord/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import type { LocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { openStore } from '../../src/store/store.ts';
import { en } from '../../src/texts/en.ts';
import { localDiscord } from '../support/local-discord.ts';
import { tempDir } from '../support/temp-dir.ts';

export { localDiscord };

/** Time that passes faster than it does, for what would take too long. */
export function fastClock(times: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * times,
    monotonic: () => performance.now() * times,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
    random: () => 0.5,
  };
}

/** A log that keeps what it says. */
export function listeningLog(secrets: readonly string[] = []) {
  const said: { level: number; msg: string; [field: string]: unknown }[] = [];
  const log = createLog({
    level: 'debug',
    secrets,
    destination: { write: (line: string) => said.push(JSON.parse(line)) },
  });
  return { log, said };
}

/** Waits until it is so. */
export async function until(isSo: () => boolean, patience = 15_000): Promise<void> {
  const end = Date.now() + patience;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`It did not become so within ${patience} ms: ${String(isSo)}`);
    await wait(10);
  }
}

/** A command that says what it is told to say. */
export function command(changes: Partial<Command> & Pick<Command, 'execute'>): Command {
  return {
    name: 'say',
    visibility: 'public',
    hasPages: false,
    isServedBy: () => true,
    describe: () => ({
      description: 'Says something.',
      options: [{ type: ApplicationCommandOptionType.User, name: 'user', description: 'To whom.' }],
    }),
    ...changes,
  };
}

/** Where the ids of registered commands are stored, in a database of its own. */
export async function commandRegistry() {
  const store = await openStore(`sqlite:${join(tempDir(), 'tally.db')}`, systemClock, { thread: false });
  onTestFinished(() => store.close());
  return store.commandRegistry;
}

/** A bot with these commands, connected to a Discord of its own. */
export async function connectedBot(
  commands: readonly Command[],
  changes: {
    clock?: Clock;
    listings?: CommandContext['listings'];
    /** Runs before the bot starts. */
    before?: (
      registration: Pick<Registration, 'rest' | 'applicationId' | 'registry'> & { discord: LocalDiscord },
    ) => Promise<unknown>;
  } = {},
) {
  const discord = await localDiscord();
  const { clock = systemClock, listings = [], before = async () => {} } = changes;
  const services: CommandContext = { listings, texts: en, clock };
  const { log, said } = listeningLog([discord.token]);
  const counted: string[] = [];
  const onAnswered = (name: string, outcome: string) => void counted.push(`${name} ${outcome}`);
  const rest = createDiscordRest({ token: discord.token, apiUrl: discord.apiUrl });
  const registry = await commandRegistry();
  await before({ rest, applicationId: discord.applicationId, registry, discord });
  const registrar = createRegistrar({ rest, guildId: null, commands, services, registry, clock: systemClock, log });
  onTestFinished(() => registrar.stop());
  const client = createGatewayClient({
    token: discord.token,
    apiUrl: discord.apiUrl,
    clock: systemClock,
    log,
    globalLimit: createGlobalRateLimit(systemClock),
    onInteraction: createInteractions({ commands, services, isOwnCommand: registrar.isOwn, log, onAnswered }),
    onReady: registrar.start,
  });
  onTestFinished(() => client.stop());
  client.start();
  await until(
    () =>
      client.ready &&
      said.some(
        ({ msg }) => msg.startsWith('slash commands registered') || msg.startsWith('the slash commands could not'),
      ),
  );
  const [member, other] = discord.members;
  if (member === undefined || other === undefined) throw new Error('nobody is there');
  const run = (name: string, options: Record<string, string | number> = {}) =>
    discord.runCommand({ name, options, userId: member.id, channelId: discord.channels.general });
  return { discord, client, run, member, other, said, counted, rest, log };
}

export const hello: Reply = { tone: 'plain', text: en.reviews.none };
