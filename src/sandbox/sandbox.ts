import { randomBytes } from 'node:crypto';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import type { Environment } from '../../config/read-values.ts';
import type { Config } from '../../config/schema.ts';
import { type App, createApp } from '../app/app.ts';
import { systemClock } from '../platform/clock.ts';
import { messageOf, TallyhookError } from '../platform/errors.ts';
import { createLog, type Log } from '../platform/log.ts';
import { makeDirectory } from '../platform/make-directory.ts';
import { seededMembers } from '../service/seed/members.ts';
import { createPrng } from '../service/seed/prng.ts';
import { type RunningService, startService } from '../service/service.ts';
import { persistClock, readClockOffset } from './clock-state.ts';
import { createDeliveries } from './deliveries.ts';
import { type LocalDiscord, startLocalDiscord } from './discord/local-discord.ts';
import { isPersistent, persistedState } from './discord/persistence.ts';
import { ensureListings, type SandboxListings } from './ensure-listings.ts';
import { createFaultInjection, type FaultInjection } from './fault-injection.ts';
import { openJsonFile, readJsonFile } from './json-file.ts';
import { createOutage, type Outage } from './outage.ts';
import type { PagePorts } from './page/ports.ts';
import { createPageBridge } from './page-bridge.ts';
import { startRelay } from './relay.ts';
import { createSandboxClock, type SandboxClock } from './sandbox-clock.ts';

/** tallyhook with a Discord and a listing service around it, all on this machine. The bot is the same code as in production. */
export interface Sandbox {
  readonly discord: LocalDiscord;
  readonly service: RunningService;
  readonly app: App;
  /** Where it keeps what happened. */
  readonly directory: string;
  /** Where each part is. */
  readonly urls: { readonly page: string; readonly service: string; readonly bot: string };
  /** The time of service, Discord and bot alike: `clock.advance(12 * hour)` lets everybody vote again. */
  readonly clock: SandboxClock;
  /** Deliveries that no service sends. Faults of Discord in detail are `discord.faults`. */
  readonly faultInjection: FaultInjection;
  /** What can be taken down for a while (ms of real time), and brought back before: `outages.discord.begin(10_000)`. */
  readonly outages: { readonly discord: Outage; readonly service: Outage };
  /** Tells of each step of each delivery, and of what went down or came back. */
  readonly events: PagePorts['events'];
  /** Stops the bot, Discord and the service, in this order. */
  stop(): Promise<void>;
}

/** All of it may be left out: what is started then is new, silent, on free ports, and gone without a trace when it stops. */
export interface SandboxOptions {
  /** Where it keeps what happened, to go on from there the next time. */
  readonly directory?: string;
  /** Settings for the bot that are not the sandbox's own to make: credits, HOST, PORT (a free one unless given), OWNER_TOKEN, … */
  readonly environment?: Environment;
  /** 0 takes a free one. */
  readonly ports?: { readonly page: number; readonly service: number };
  /** How many seconds pass in here while one passes outside: 1, the default, to {@link maxSpeed}. */
  readonly speed?: number;
  /** Draws what is left to chance from this number, so that it is the same every time; `none` begins with bare listings instead. */
  readonly seed?: number | 'none';
  /** For the service and Discord. */
  readonly log?: Log;
  /** For the bot, whose configuration says how much and which secrets to cut out. */
  readonly botLog?: (config: Config) => Log;
}

/** Beyond it the leases of what is under way would run out before it could be done. */
export const maxSpeed = 60;

/** Every file that it makes, so that it can all be forgotten. */
export const ownedFiles = {
  databases: ['service.db', 'tallyhook.db', 'cache.db'],
  stateFiles: ['discord.json', 'clock.json'],
} as const;

const host = '127.0.0.1';
const silent = createLog({ level: 'silent', secrets: [] });

/** Whom one can act as: the first of the service's community, the very first of whom has never voted. */
const members = seededMembers.slice(0, 6).map(({ userId, username }) => ({ id: userId, username }));
const nameOf = (userId: string) => members.find(({ id }) => id === userId)?.username ?? userId;

/**
 * Starts the service and Discord, then the bot against them, and gives the bot's webhook address to the service. The bot may still be
 * connecting when the promise is fulfilled: `discord.connected` and `discord.events` tell.
 *
 * @throws TallyhookError `cannot_listen` where a port is taken, `sandbox_clock` for a speed below 1, `page_not_bundled`, and
 *   `cannot_write` for a directory that cannot be used
 * @throws FaultyConfig where the environment is at fault
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { environment = {}, ports = { page: 0, service: 0 }, seed, log = silent } = options;
  const running: { stop(): Promise<void> }[] = [];
  const directory = options.directory ?? temporaryDirectory(running);
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    for (const part of running.splice(0).reverse()) await part.stop();
  };

  try {
    checkDirectory(directory);
    const kept = (name: string) => join(directory, name);
    const clock = createSandboxClock({
      offsetMs: readClockOffset(kept('clock.json'), log),
      ...(options.speed === undefined ? {} : { speed: options.speed }),
      ...(typeof seed === 'number' ? { chance: createPrng(seed) } : {}),
    });
    running.push(persistClock({ path: kept('clock.json'), clock, stopwatch: systemClock }));
    const relay = await startRelay(host, ports.service);
    running.push(relay);
    const service = await startService({
      host,
      port: 0,
      publicUrl: relay.url,
      database: `sqlite:${kept('service.db')}`,
      clock,
      log,
      allowLoopbackTargets: true,
      seed: seed !== 'none',
    });
    running.push(service);
    relay.setTarget(service.port);
    const community = await ensureListings(service);
    const listings = [community.server, community.bot];

    const outage = (what: string, set: (isDown: boolean) => void) =>
      createOutage({
        setDown: set,
        onChange: (isDown) => {
          const text = isDown ? `${what} is down` : `${what} is back`;
          const tone = isDown ? 'bad' : 'good';
          happenings.emit({ kind: 'line', at: clock.now(), source: 'sandbox', tone, text });
          happenings.simulationChanged();
        },
        stopwatch: systemClock,
        stopped: stopping.signal,
      });
    const outages = {
      discord: outage('Discord', (isDown) => discord.faults.outage(isDown)),
      service: outage('The service', (isDown) => relay.setDown(isDown)),
    };
    const happenings = createPageBridge({ service, listings, nameOf, clock, outages });
    const discord = await startLocalDiscord({
      host,
      port: ports.page,
      clock,
      log,
      guild: { id: community.server.id, name: community.server.name },
      people: members,
      page: happenings.ports,
      initialState: readJsonFile(kept('discord.json'), persistedState, log),
    });
    const memory = openJsonFile({
      path: kept('discord.json'),
      snapshot: () => discord.exportState(),
      stopwatch: systemClock,
      log,
    });
    discord.events.on('change', ({ kind }) => {
      if (isPersistent(kind)) memory.scheduleWrite();
    });
    running.push(memory, discord);

    const secrets = { vote: newSecret(), premium: newSecret() };
    const config = loadConfig({
      DATABASE_URL: `sqlite:${kept('tallyhook.db')}`,
      CACHE_URL: `sqlite:${kept('cache.db')}`,
      LOG_LEVEL: 'warn',
      PORT: '0',
      ...environment,
      ...(await botEnvironment({ discord, service, community, secrets })),
    });
    const channelName = (id: string) => discord.channelName(id) ?? 'a channel that is gone';
    const deliveries = createDeliveries({ clock, stopwatch: systemClock, nameOf, channelName, emit: happenings.emit });
    const app = await createApp(config, {
      clock,
      stopwatch: systemClock,
      log: options.botLog?.(config) ?? silent,
      wrapListener: deliveries.wrapListener,
      onRecorded: deliveries.onRecorded,
      onAttempted: deliveries.onAttempted,
    });
    running.push(app);
    const bot = (await app.start()) ?? '';
    const trouble = createFaultInjection({
      bot,
      deliveries,
      voteSecret: secrets.vote,
      serverId: community.server.id,
      clock,
    });
    happenings.connect({ ledger: app.ledger, faultInjection: trouble });
    for (const { id } of listings) {
      await service.setWebhook(id, {
        voteUrl: `${bot}/webhooks/vote`,
        voteSecret: secrets.vote,
        premiumUrl: `${bot}/webhooks/premium`,
        premiumSecret: secrets.premium,
      });
    }
    await discord.pageReady();
    const urls = { page: discord.origin, service: service.url, bot };
    const { events: news } = happenings.ports;
    return { discord, service, app, directory, urls, clock, faultInjection: trouble, outages, events: news, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The settings that say where the bot is: on this Discord, with this service. */
async function botEnvironment(around: {
  readonly discord: LocalDiscord;
  readonly service: RunningService;
  readonly community: SandboxListings;
  readonly secrets: { readonly vote: string; readonly premium: string };
}): Promise<Environment> {
  const { discord, service, community, secrets } = around;
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    PREMIUM_CHANNEL_ID: discord.channels.premium,
    LOOKUP_BASE_URL: service.baseUrl,
    // Keys are shown once and kept as hashes, so each start asks for new ones.
    LOOKUP_SERVER_KEY: await service.issueKey(community.server.id, 'Sandbox'),
    LOOKUP_BOT_KEY: await service.issueKey(community.bot.id, 'Sandbox'),
    VOTE_WEBHOOK_SECRET: secrets.vote,
    PREMIUM_WEBHOOK_SECRET: secrets.premium,
  };
}

/** @throws TallyhookError `cannot_write` */
function checkDirectory(directory: string): void {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK);
  } catch (cause) {
    throw new TallyhookError(
      'cannot_write',
      `The sandbox cannot use the directory ${directory}: ${messageOf(cause)}.`,
      {
        cause,
        hint: 'Name one that this user may write, with --data.',
      },
    );
  }
}

/** A directory for as long as the sandbox runs. */
function temporaryDirectory(running: { stop(): Promise<void> }[]): string {
  const made = mkdtempSync(join(tmpdir(), 'tallyhook-sandbox-'));
  running.push({ stop: () => rm(made, { recursive: true, force: true }) });
  return made;
}

function newSecret(): string {
  return randomBytes(24).toString('base64url');
}
