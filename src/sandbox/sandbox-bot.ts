import { randomBytes } from 'node:crypto';
import type { Environment } from '../../config/environment.ts';
import { loadConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { type App, createApp } from '../app/app.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLog, type Log } from '../platform/log.ts';
import type { DataDirectory } from './data-directory.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import type { LocalDiscord } from './discord/local-discord.ts';
import type { ListingService, WebhookSecrets } from './listing-service.ts';
import type { TimelineItem } from './page/ports.ts';
import { memberName } from './sandbox-discord.ts';

interface BotOptions {
  readonly discord: LocalDiscord;
  readonly listingService: ListingService;
  readonly directory: DataDirectory;
  /** The caller's settings; the ones that connect the bot to the sandbox override them. */
  readonly environment: Environment;
  readonly clock: Clock;
  /** Creates the bot's log from its configuration; without it nothing is logged. */
  readonly createBotLog: ((config: Config) => Log) | undefined;
  readonly emit: (item: TimelineItem) => void;
}

/** The bot, not yet started, with the observer of its deliveries. */
export interface SandboxBot {
  readonly app: App;
  readonly deliveries: Deliveries;
  readonly secrets: WebhookSecrets;
}

/**
 * Creates the bot from the same code as in production, configured for the local Discord and listing service.
 *
 * @throws InvalidConfigError for invalid settings in the environment
 */
export async function createSandboxBot(options: BotOptions): Promise<SandboxBot> {
  const { discord, directory, environment, clock, emit } = options;
  const secrets = { vote: createSecret(), premium: createSecret() };
  const config = loadConfig({
    DATABASE_URL: `sqlite:${directory.file('tallyhook.db')}`,
    CACHE_URL: `sqlite:${directory.file('cache.db')}`,
    LOG_LEVEL: 'warn',
    PORT: '0',
    ...environment,
    ...(await botEnvironment(options, secrets)),
  });
  const channelName = (id: string) => discord.channelName(id) ?? 'a deleted channel';
  const deliveries = createDeliveries({ clock, stopwatch: systemClock, memberName, channelName, emit });
  const app = await createApp(config, {
    clock,
    stopwatch: systemClock,
    log: options.createBotLog?.(config) ?? createLog({ level: 'silent', secrets: [] }),
    wrapListener: deliveries.wrapListener,
    onRecorded: deliveries.onRecorded,
    onAttempted: deliveries.onAttempted,
  });
  return { app, deliveries, secrets };
}

/** The settings that connect the bot to the sandbox. */
async function botEnvironment({ discord, listingService }: BotOptions, secrets: WebhookSecrets): Promise<Environment> {
  const { service, listings } = listingService;
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    PREMIUM_CHANNEL_ID: discord.channels.premium,
    LOOKUP_BASE_URL: service.baseUrl,
    // The service stores only hashes of its keys, so each start issues new ones.
    LOOKUP_SERVER_KEY: await service.issueKey(listings.server.id, 'Sandbox'),
    LOOKUP_BOT_KEY: await service.issueKey(listings.bot.id, 'Sandbox'),
    VOTE_WEBHOOK_SECRET: secrets.vote,
    PREMIUM_WEBHOOK_SECRET: secrets.premium,
  };
}

function createSecret(): string {
  return randomBytes(24).toString('base64url');
}
