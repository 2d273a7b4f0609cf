import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import type { CheckResult } from '@tallyhook/platform/doctor/check';
import { sanitizeResult } from '@tallyhook/platform/doctor/report';
import { DirectRequest } from '@tallyhook/platform/http/body';
import { createHttpServer } from '@tallyhook/platform/http/server';
import { type Logger, silentLogger } from '@tallyhook/platform/logger';
import type { LocalDiscord } from 'local-discord';
import type { Environment } from '../../config/environment.ts';
import { loadConfig, loadHttpAddress } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { openApp } from '../app/app.ts';
import { createSignInLinks } from '../owner/authentication.ts';
import { defaultSettings, type ListingSettings, memberName } from './community.ts';
import type { DataDirectory } from './data-directory.ts';
import { Deliveries } from './deliveries.ts';
import type { ListingService, WebhookSecrets } from './listing-service.ts';
import type { TimelineItem } from './page/ports.ts';
import type { ListingSites } from './sites.ts';

/** The file contains secrets. */
const ownerOnly = { mode: 0o600 };

interface BotOptions {
  readonly discord: LocalDiscord;
  readonly listingService: ListingService;
  /** Other listing sites; null without them. */
  readonly sites: ListingSites | null;
  readonly directory: DataDirectory;
  /** The caller's settings; the ones that connect the bot to the sandbox override them. */
  readonly environment: Environment;
  readonly listingSettings: ListingSettings | undefined;
  /** True if the operator has configured the listings; otherwise they are linked with `/setup`. */
  readonly isLinked: boolean;
  /** True if a new ledger gets the past of a community. */
  readonly hasHistory: boolean;
  readonly clock: Clock;
  /** Creates the bot's log from its configuration; without it nothing is logged. */
  readonly createBotLog: ((config: Config) => Logger) | undefined;
  readonly emit: (item: TimelineItem) => void;
  /** A link of the console has been used. */
  readonly onConsoleOpened: () => void;
}

/**
 * Creates the bot from the same code as in production, configured for the local Discord and listing service, and the
 * observer of its deliveries. It is not yet started.
 *
 * @throws InvalidConfigError for invalid settings in the environment
 * @throws TallyhookError `cannot_listen`
 */
export async function createSandboxBot(options: BotOptions) {
  const server = await openServer(options.environment);
  try {
    const bot = await createBot(options, server.address);
    const { app } = bot;
    return {
      ...bot,
      /** Where it can be reached once it is started. */
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
  const { discord, sites, directory, environment, clock, emit } = options;
  const secrets = { vote: createSecret(), premium: createSecret() };
  const config = loadConfig({
    DATABASE_URL: `sqlite:${directory.file('tallyhook.db')}`,
    CACHE_URL: `sqlite:${directory.file('cache.db')}`,
    LOG_LEVEL: 'warn',
    ...withoutListingSettings(environment),
    ...(environment['OWNER_TOKEN'] || environment['OWNER_TOKEN_FILE'] ? {} : { OWNER_TOKEN: createSecret() }),
    ...address,
    SETTINGS_KEY_FILE: settingsKeyFile(directory.file('settings.key')),
    ...(await botEnvironment(options, secrets)),
  });
  const channelName = (id: string) => discord.channelName(id) ?? 'a deleted channel';
  const siteAt = (path: string) => sites?.find(path)?.site;
  const deliveries = new Deliveries({ clock, stopwatch: systemClock, memberName, channelName, siteAt, emit });
  // The next sandbox in the same directory continues with what happened since.
  const isNew = !existsSync(directory.file('tallyhook.db'));
  const signInLinks = createSignInLinks(systemClock, options.onConsoleOpened);
  const app = await openApp(config, {
    clock,
    stopwatch: systemClock,
    log: options.createBotLog?.(config) ?? silentLogger,
    wrapListener: deliveries.wrapListener,
    onRecorded: deliveries.onRecorded,
    onAttempted: deliveries.onAttempted,
    signInLinks,
    ...(options.hasHistory &&
      isNew && {
        async prepareStore(store, communityIds) {
          const { recordHistory } = await import('./history.ts');
          deliveries.skip(await recordHistory({ store, communityIds, config, discord, now: clock.now() }));
        },
      }),
  });
  return {
    app,
    deliveries,
    secrets,
    /** The address of a new link that signs in to the console. */
    consoleLink: () => `${address['PUBLIC_URL']}/owner/${signInLinks.create()}`,
    /** The address of the console for those who sign in with Discord. */
    dashboard: `${address['PUBLIC_URL']}/owner/`,
    async runDoctor(): Promise<readonly CheckResult[]> {
      // Few look at it, and it needs most of the command line.
      const { runDoctor } = await import('../cli/doctor/doctor-command.ts');
      const results: CheckResult[] = [];
      await runDoctor(config, {
        clock,
        url: null,
        secretFiles: [],
        onResult: (result) => results.push(sanitizeResult(result, config.secrets)),
        onProgress: () => {},
      });
      // Its clock is ahead on purpose.
      return results.filter(({ check }) => check !== 'clock');
    },
  };
}

/** Listens before the bot exists: `/setup` shows the address for webhooks, and nobody else can take the port. */
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

async function botEnvironment(options: BotOptions, secrets: WebhookSecrets): Promise<Environment> {
  const { discord, listingService, sites } = options;
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_CLIENT_SECRET: discord.clientSecret,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    LOOKUP_BASE_URL: listingService.service.baseUrl,
    ...(sites === null ? {} : { SITE_API_URL: sites.url }),
    ...(options.isLinked ? { TALLYHOOK_CONFIG: await writeListings(options, secrets) } : {}),
  };
}

/** Writes the file of `TALLYHOOK_CONFIG`; returns its path. */
async function writeListings(options: BotOptions, secrets: WebhookSecrets): Promise<string> {
  const { discord, listingService, sites, directory, clock } = options;
  const { service } = listingService;
  const { server, bot } = listingService.listings;
  const ofService = await Promise.all(
    [server, bot].map(async ({ kind, id, name: title }) => {
      // The service stores only hashes of its keys, so each start issues new ones.
      const lookupKey = await service.issueKey(id, 'Sandbox');
      return { name: kind, title, kind, id, lookupKey, voteSecrets: [secrets.vote], premiumSecrets: [secrets.premium] };
    }),
  );
  const ofSites = (sites?.all ?? []).map(
    ({ name, site, listing: { kind, id, name: title }, stored: { secret, key } }) => {
      return { name, title, kind, id, site: site.id, voteSecrets: [secret], siteKey: key };
    },
  );
  const path = directory.file('listings.json');
  const settings = defaultSettings(discord, clock.now());
  const listings = [
    ...ofService.map((listing) => ({ ...settings, ...listing, ...options.listingSettings })),
    ...ofSites.map((listing) => ({ ...settings, ...options.listingSettings, ...listing })),
  ];
  writeFileSync(path, JSON.stringify({ listings }, null, 2), ownerOnly);
  return path;
}

function createSecret(): string {
  return randomBytes(24).toString('base64url');
}

/** The caller's settings without those of listings, which the file replaces. */
function withoutListingSettings(environment: Environment): Environment {
  const isOfListing = /^(?:TALLYHOOK_CONFIG|(?:LOOKUP_(?:SERVER|BOT)_KEY|(?:VOTE|PREMIUM)_WEBHOOK_\w+?))(?:_FILE)?$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfListing.test(name)));
}
