import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { type RunningService, startService } from 'listing-service';
import { seededService } from 'listing-service/testing/seeded-service';
import type { LocalDiscord, LocalDiscordOptions } from 'local-discord';
import type { App } from '../../src/app/app-interface.ts';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from './listings.ts';
import { localDiscord } from './local-discord.ts';
import { newSqliteUrl } from './new-sqlite.ts';
import { startApp } from './start-app.ts';

export interface Installation {
  readonly discord: LocalDiscord;
  readonly service: RunningService;
  readonly app: App;
  readonly url: string;
  /** The lines of the bot's log. */
  readonly lines: string[];
  readonly environment: Record<string, string>;
  post(path: string, payload: unknown, secret?: string): Promise<{ status: number; json: Record<string, unknown> }>;
}

const copySeeded = seededService(systemClock);

/** The listing service with its example listings, until the end of the test. */
export async function startListingService() {
  const { database, keys } = await copySeeded();
  const service = await startService({
    ...{ host: '127.0.0.1', port: 0, database, clock: systemClock, allowLoopbackTargets: true, seed: true },
    log: createLog({ level: 'silent', secrets: [] }),
  });
  onFinished(() => service.stop());
  return { service, keys };
}

/**
 * Starts tallyhook with the listing service and the local Discord, connected over HTTP and WebSocket. Everything stops
 * with {@link onFinished}.
 *
 * @param changes environment variables that override the defaults
 * @param clock the bot's clock; the service uses the system clock
 */
export async function startInstallation(
  changes: Record<string, string> = {},
  clock: Clock = systemClock,
  discordOptions: LocalDiscordOptions = {},
): Promise<Installation> {
  const directory = tempDir();
  const discord = await localDiscord(discordOptions);
  const { service, keys } = await startListingService();
  const environment = {
    DISCORD_TOKEN: discord.token,
    DISCORD_CLIENT_SECRET: discord.clientSecret,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    LOOKUP_BASE_URL: service.baseUrl,
    LOOKUP_SERVER_KEY: keys.server,
    LOOKUP_BOT_KEY: keys.bot,
    VOTE_WEBHOOK_SECRET: voteSecret,
    PREMIUM_WEBHOOK_SECRET: premiumSecret,
    ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    PREMIUM_CHANNEL_ID: discord.channels.premium,
    DATABASE_URL: newSqliteUrl(`${directory}/tallyhook.db`),
    CACHE_URL: `sqlite:${directory}/cache.db`,
    PORT: '0',
    OWNER_TOKEN: 'owner-token-for-tests',
    ...changes,
  };
  const { app, url, lines } = await startApp(environment, { clock });

  return {
    ...{ discord, service, app, url, lines, environment },
    async post(path, payload, secret = voteSecret) {
      const body = JSON.stringify(payload);
      const headers = { 'x-webhook-signature': sign(body, secret) };
      const response = await fetch(url + path, { method: 'POST', body, headers });
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    },
  };
}
