import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { createLog } from '@tallyhook/platform/log';
import { onFinished } from '@tallyhook/platform/testing/on-finished';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { type RunningService, startService } from 'listing-service';
import { seededService } from 'listing-service/testing/seeded-service';
import type { LocalDiscord, LocalDiscordOptions } from 'local-discord';
import { loadConfig } from '../../config/load.ts';
import { createApp } from '../../src/app/app.ts';
import type { App } from '../../src/app/app-interface.ts';
import { sign } from '../../src/webhook/signature.ts';
import { premiumSecret, voteSecret } from './listings.ts';
import { localDiscord } from './local-discord.ts';
import { newSqliteUrl } from './new-sqlite.ts';

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
  const silentLog = createLog({ level: 'silent', secrets: [] });
  const discord = await localDiscord(discordOptions);
  const { database, keys } = await copySeeded(`${directory}/service.db`);
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    database,
    clock: systemClock,
    log: silentLog,
    allowLoopbackTargets: true,
    seed: true,
  });
  onFinished(() => service.stop());

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
  const config = loadConfig(environment);
  const lines: string[] = [];
  const log = createLog({
    level: 'debug',
    secrets: config.secrets,
    destination: { write: (line) => void lines.push(line) },
  });
  const app = await createApp(config, { clock, log });
  onFinished(() => app.stop());
  const url = (await app.start()) ?? '';

  return {
    discord,
    service,
    app,
    url,
    lines,
    environment,
    async post(path, payload, secret = voteSecret) {
      const body = JSON.stringify(payload);
      const response = await fetch(url + path, {
        method: 'POST',
        body,
        headers: { 'x-webhook-signature': sign(body, secret) },
      });
      return { status: response.status, json: (await response.json()) as Record<string, unknown> };
    },
  };
}
