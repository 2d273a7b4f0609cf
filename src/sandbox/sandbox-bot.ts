import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Environment } from '../../config/environment.ts';
import { loadConfig, loadHttpAddress } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { createApp } from '../app/app.ts';
import type { App } from '../app/app-interface.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { DirectRequest } from '../platform/http/body.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { createLog, type Log } from '../platform/log.ts';
import type { DataDirectory } from './data-directory.ts';
import { defaultListings, type ListingSettings, withoutListingSettings } from './default-listings.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import type { LocalDiscord } from './discord/local-discord.ts';
import type { ListingService, WebhookSecrets } from './listing-service.ts';
import type { TimelineItem } from './page/ports.ts';
import { memberName } from './sandbox-members.ts';

/** The file contains secrets. */
const ownerOnly = { mode: 0o600 };

interface BotOptions {
  readonly discord: LocalDiscord;
  readonly listingService: ListingService;
  readonly directory: DataDirectory;
  /** The caller's settings; the ones that connect the bot to the sandbox override them. */
  readonly environment: Environment;
  readonly listingSettings: ListingSettings | undefined;
  /** Whether the operator has configured the listings; otherwise they are linked with `/setup`. */
  readonly isLinked: boolean;
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
  /** Where it can be reached once it is started. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the bot from the same code as in production, configured for the local Discord and listing service.
 *
 * @throws InvalidConfigError for invalid settings in the environment
 * @throws TallyhookError `cannot_listen`
 */
export async function createSandboxBot(options: BotOptions): Promise<SandboxBot> {
  const server = await openServer(options.environment);
  try {
    const bot = await createBot(options, server.address);
    const { app } = bot;
    return {
      ...bot,
      url: server.url,
      async start() {
        await app.start({ listen: false });
        server.serve(app.http);
      },
      async stop() {
        await server.close();
        await app.stop();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

async function createBot(options: BotOptions, address: Environment) {
  const { discord, directory, environment, clock, emit } = options;
  const secrets = { vote: createSecret(), premium: createSecret() };
  const config = loadConfig({
    DATABASE_URL: `sqlite:${directory.file('tallyhook.db')}`,
    CACHE_URL: `sqlite:${directory.file('cache.db')}`,
    LOG_LEVEL: 'warn',
    ...withoutListingSettings(environment),
    ...address,
    SETTINGS_KEY_FILE: settingsKeyFile(directory.file('settings.key')),
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

/**
 * Listens before the bot exists: `/setup` shows the address for webhooks, which includes the port, and nobody else can take
 * the port meanwhile.
 */
async function openServer(environment: Environment) {
  const isPortSet = environment['PORT'] || environment['PORT_FILE'];
  const wanted = loadHttpAddress(isPortSet ? environment : { ...environment, PORT: '0' });
  let listener: RequestListener = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end();
  const server = createHttpServer((request, response) => listener(request, response), {
    IncomingMessage: DirectRequest,
  });
  const { port, url } = await server.listen(wanted.host, wanted.port);
  const address = { HOST: wanted.host, PORT: String(port), PUBLIC_URL: url };
  return {
    url,
    /** Settings of the bot. */
    address: { ...address, HOST_FILE: undefined, PORT_FILE: undefined, PUBLIC_URL_FILE: undefined },
    serve(next: RequestListener): void {
      listener = next;
    },
    close: server.close,
  };
}

/** The key with which the settings of `/setup` are encrypted; the next sandbox in the same directory needs it. */
function settingsKeyFile(path: string): string {
  if (!existsSync(path)) writeFileSync(path, `${randomBytes(32).toString('hex')}\n`, ownerOnly);
  return path;
}

/** The settings that connect the bot to the sandbox. */
async function botEnvironment(options: BotOptions, secrets: WebhookSecrets): Promise<Environment> {
  const { discord, listingService } = options;
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    LOOKUP_BASE_URL: listingService.service.baseUrl,
    ...(options.isLinked ? { TALLYHOOK_CONFIG: await writeListings(options, secrets) } : {}),
  };
}

/** Writes the file of `TALLYHOOK_CONFIG`; returns its path. */
async function writeListings(options: BotOptions, secrets: WebhookSecrets): Promise<string> {
  const { discord, listingService, directory, clock } = options;
  const { service } = listingService;
  const { server, bot } = listingService.listings;
  const listings = await Promise.all(
    [server, bot].map(async ({ kind, id }) => {
      // The service stores only hashes of its keys, so each start issues new ones.
      return { kind, id, lookupKey: await service.issueKey(id, 'Sandbox') };
    }),
  );
  const path = directory.file('listings.json');
  const content = defaultListings(listings, discord, secrets, clock.now(), options.listingSettings);
  writeFileSync(path, JSON.stringify(content, null, 2), ownerOnly);
  return path;
}

function createSecret(): string {
  return randomBytes(24).toString('base64url');
}
