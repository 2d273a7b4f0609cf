import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Environment } from '../../config/environment.ts';
import { loadConfig, loadHttpAddress } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { openApp } from '../app/app.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { day } from '../platform/durations.ts';
import { DirectRequest } from '../platform/http/body.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { type Logger, silentLogger } from '../platform/logger.ts';
import type { ServiceListingKind } from '../service/listing/listing.ts';
import type { DataDirectory } from './data-directory.ts';
import { createDeliveries } from './deliveries.ts';
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
  readonly createBotLog: ((config: Config) => Logger) | undefined;
  readonly emit: (item: TimelineItem) => void;
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
  const app = await openApp(config, {
    clock,
    stopwatch: systemClock,
    log: options.createBotLog?.(config) ?? silentLogger,
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

/** Days from the start of the sandbox until the window of a multiplier, and its length. */
const windowStartDays = 7;
const windowDays = 7;

/** Settings of a listing, as in the file of `TALLYHOOK_CONFIG`. */
export type ListingSettings = Readonly<Record<string, unknown>>;

/** A listing of the service, as the bot is configured for it. */
interface SandboxListing {
  readonly kind: ServiceListingKind;
  readonly id: string;
  readonly lookupKey: string;
}

/**
 * The file of `TALLYHOOK_CONFIG` for the default community, which uses every rule. The multipliers are for members with
 * certain roles, so that the first vote earns the same on every day.
 *
 * @param now the current time (ms since the epoch)
 * @param settings replace the default ones of each listing
 */
function defaultListings(
  listings: readonly SandboxListing[],
  { guildId, channels, roles }: Pick<LocalDiscord, 'guildId' | 'channels' | 'roles'>,
  secrets: WebhookSecrets,
  now: number,
  settings: ListingSettings = {},
): object {
  const from = new Date(now + windowStartDays * day).toISOString();
  const until = new Date(now + (windowStartDays + windowDays) * day).toISOString();
  const rewards = {
    multipliers: [
      { factor: 1.5, role: roles.vip },
      { factor: 2, days: ['saturday', 'sunday'], role: roles.regular },
      { factor: 2, from, until, role: roles.veteran },
    ],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 5, credits: 30, role: roles.regular },
      { votes: 10, credits: 100, role: roles.veteran },
      { everyVotes: 25, credits: 250 },
    ],
    milestoneRoles: 'all',
    voterRole: { role: roles.voter, for: '12h' },
    premiumRoles: { '*': roles.premium },
    allListings: 20,
    party: { goal: 5, per: 'week', credits: 25 },
  };
  const shop = [
    { id: 'vip', name: 'VIP for a week', price: 50, role: roles.vip, for: '7d', stock: 5 },
    { id: 'key', name: 'Game key', price: 40, codes: ['LANTERN-1111', 'LANTERN-2222', 'LANTERN-3333'] },
    { id: 'shout', name: 'Shout-out', price: 30, manual: true, needsRole: roles.voter },
  ];
  const community = { guildId, timeZone: 'Europe/Berlin', ownerChannelId: channels.general, shop };
  const common = {
    voteSecrets: [secrets.vote],
    premiumSecrets: [secrets.premium],
    announceChannelId: channels.announcements,
    premiumChannelId: channels.premium,
  };
  return {
    listings: listings.map(({ kind, id, lookupKey }) => ({
      name: kind,
      kind,
      id,
      lookupKey,
      ...common,
      ...community,
      rewards,
      ...settings,
    })),
  };
}

/** The caller's settings without those of listings, which the file replaces. */
function withoutListingSettings(environment: Environment): Environment {
  const isOfListing = /^(?:TALLYHOOK_CONFIG|(?:LOOKUP_(?:SERVER|BOT)_KEY|(?:VOTE|PREMIUM)_WEBHOOK_\w+?))(?:_FILE)?$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfListing.test(name)));
}
