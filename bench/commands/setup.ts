import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@tallyhook/platform/clock';
import { day } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { type RunningService, startService } from 'listing-service';
import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import { commands } from '../../commands/index.ts';
import { sign } from '../../src/webhook/signature.ts';
import { type Child, startChild } from '../process/child.ts';

const voteSecret = 'bench-secret';

/** A bot in its tallyhook process with its tallyhook local Discord. */
export interface BotUnderTest {
  readonly discord: LocalDiscord;
  readonly bot: Child;
  stop(): Promise<void>;
}

/** The listing service, with its seeded server and reviews. */
export function startListingService(directory: string): Promise<RunningService> {
  return startService({
    host: '127.0.0.1',
    port: 0,
    database: `sqlite:${join(directory, 'service.db')}`,
    clock: systemClock,
    log: createLog({ level: 'silent', secrets: [] }),
    allowLoopbackTargets: true,
    seed: true,
  });
}

/**
 * tallyhook on its own local Discord, with empty store and cache, ready for commands.
 * @param options.hasBot whether it also has the listing of the service's bot
 * @param options.module its process
 * @param options.settingsFor its other settings, which may replace those of the server's listing
 */
export async function startTallyhook(
  directory: string,
  service: RunningService,
  {
    hasBot = false,
    module = new URL('./tallyhook-bot.ts', import.meta.url),
    settingsFor = (_discord, LOOKUP_SERVER_KEY) => ({ LOOKUP_SERVER_KEY, VOTE_WEBHOOK_SECRET: voteSecret }),
  }: {
    readonly hasBot?: boolean;
    readonly module?: URL;
    readonly settingsFor?: (discord: LocalDiscord, lookupKey: string) => Record<string, string>;
  } = {},
): Promise<BotUnderTest> {
  mkdirSync(directory, { recursive: true });
  const discord = await startLocalDiscord({ rateLimits: false });
  const settings = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    LOOKUP_BASE_URL: service.baseUrl,
    ...settingsFor(discord, await service.issueKey(service.seeded?.server.id ?? '')),
    ...(hasBot && { LOOKUP_BOT_KEY: await service.issueKey(service.seeded?.bot.id ?? '') }),
    DATABASE_URL: `sqlite:${join(directory, 'tallyhook.db')}`,
    CACHE_URL: `sqlite:${join(directory, 'cache.db')}`,
    PORT: '0',
    LOG_LEVEL: 'fatal',
  };
  const bot = await startChild(module, [JSON.stringify(settings)]);
  return playing(discord, bot);
}

const days = 12;
/** As many entries as `/credits` shows. */
const ownVotes = 5;

/**
 * A vote a day by webhook, the newest by the first member: without votes, there is no leaderboard, and within a week of
 * the first no picture.
 */
export async function castVotes({ bot, discord }: BotUnderTest): Promise<void> {
  const url = await bot.ask<string>('url');
  const [member] = discord.members;
  for (let number = 0; number < days; number += 1) {
    const other = String(400_000_000_000_000_000n + BigInt(number));
    const userId = number < ownVotes ? (member?.id ?? other) : other;
    const timestamp = new Date(Date.now() - number * day).toISOString();
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp });
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, voteSecret) };
    const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`The vote was answered with ${response.status}.`);
  }
}

/** The bot that replies with constants, which are sent to it. */
export async function startConstantBot(): Promise<BotUnderTest> {
  const discord = await startLocalDiscord({ rateLimits: false });
  const { token, apiUrl, guildId } = discord;
  const bot = await startChild(new URL('./constant-bot.ts', import.meta.url), [token, apiUrl, guildId]);
  return playing(discord, bot);
}

function playing(discord: LocalDiscord, bot: Child): BotUnderTest {
  return {
    discord,
    bot,
    async stop() {
      await bot.stop();
      await discord.stop();
    },
  };
}

/** The commands of a bot that sells nothing. */
export const withoutShop = commands.filter(({ name }) => name !== 'shop');

/** Resolves when as many commands are registered: all, because a registration in progress delays replies. */
export async function commandsRegistered({ discord }: BotUnderTest, count: number): Promise<void> {
  while (!discord.connected) await once(discord.events, 'change');
  while (discord.commands().length < count) await pause(5);
}
