import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { Environment } from '../../config/read-values.ts';
import type { Config } from '../../config/schema.ts';
import { type App, createApp } from '../app.ts';
import type { Clock } from '../clock.ts';
import { TallyhookError } from '../errors.ts';
import type { Log } from '../log.ts';
import { seededMembers } from '../service/seed/members.ts';
import { type RunningService, startService } from '../service/service.ts';
import { type LocalDiscord, startLocalDiscord } from './discord/local-discord.ts';
import { createHappenings } from './happenings.ts';

/** tallyhook with a Discord and a listing service around it, all on this machine. The bot is the same code as in production. */
export interface Sandbox {
  readonly discord: LocalDiscord;
  readonly service: RunningService;
  readonly app: App;
  /** Where each part is. */
  readonly urls: { readonly page: string; readonly service: string; readonly bot: string };
  stop(): Promise<void>;
}

export interface SandboxOptions {
  /** Where the databases lie. */
  readonly directory: string;
  /** Settings for the bot that are not the sandbox's own to make: credits, HOST, PORT, OWNER_TOKEN, … */
  readonly environment: Environment;
  /** 0 takes a free one. */
  readonly ports: { readonly page: number; readonly service: number };
  readonly clock: Clock;
  /** For the service and Discord. */
  readonly log: Log;
  /** For the bot, whose configuration says how much and which secrets to cut out. */
  readonly botLog: (config: Config) => Log;
}

const host = '127.0.0.1';

/** Whom one can act as: the first of the service's community, the very first of whom has never voted. */
const people = seededMembers.slice(0, 6).map(({ userId, username }) => ({ id: userId, username }));
const nameOf = (userId: string) => people.find(({ id }) => id === userId)?.username ?? userId;

/** Starts the service and Discord, then the bot against them, and gives the bot's webhook address to the service. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { directory, environment, ports, clock, log } = options;
  const running: { stop(): Promise<void> }[] = [];
  const stop = async () => {
    for (const part of running.splice(0).reverse()) await part.stop();
  };

  try {
    const service = await startService({
      host,
      port: ports.service,
      database: `sqlite:${join(directory, 'service.db')}`,
      clock,
      log,
      allowLoopbackTargets: true,
      seed: true,
    });
    running.push(service);
    const { seeded } = service;
    if (seeded === null) throw new TallyhookError('not_seeded', 'The service has no listings.');

    const happenings = createHappenings({ service, listings: [seeded.server, seeded.bot], nameOf, clock });
    const guild = { id: seeded.server.id, name: seeded.server.name };
    const discord = await startLocalDiscord({
      host,
      port: ports.page,
      clock,
      log,
      guild,
      people,
      page: happenings.ports,
    });
    running.push(discord);

    const secrets = { vote: newSecret(), premium: newSecret() };
    const config = loadConfig({
      DATABASE_URL: `sqlite:${join(directory, 'tallyhook.db')}`,
      CACHE_URL: `sqlite:${join(directory, 'cache.db')}`,
      LOG_LEVEL: 'warn',
      ...environment,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GUILD_ID: discord.guildId,
      ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
      PREMIUM_CHANNEL_ID: discord.channels.premium,
      LOOKUP_BASE_URL: service.baseUrl,
      // Keys are shown once and kept as hashes, so each start asks for new ones.
      LOOKUP_SERVER_KEY: await service.issueKey(seeded.server.id, 'Sandbox'),
      LOOKUP_BOT_KEY: await service.issueKey(seeded.bot.id, 'Sandbox'),
      VOTE_WEBHOOK_SECRET: secrets.vote,
      PREMIUM_WEBHOOK_SECRET: secrets.premium,
    });
    const botLog = options.botLog(config);
    const app = await createApp(config, { clock, log: botLog, onRecorded: happenings.recorded });
    running.push(app);
    happenings.connect(app.ledger);
    const bot = (await app.start()) ?? '';
    for (const { id } of [seeded.server, seeded.bot]) {
      await service.setWebhook(id, {
        voteUrl: `${bot}/webhooks/vote`,
        voteSecret: secrets.vote,
        premiumUrl: `${bot}/webhooks/premium`,
        premiumSecret: secrets.premium,
      });
    }
    return { discord, service, app, urls: { page: discord.origin, service: service.url, bot }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}
