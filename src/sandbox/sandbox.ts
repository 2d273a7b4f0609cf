import { EventEmitter } from 'node:events';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { openJsonFile, readJsonFile } from '@tallyhook/platform/json-file';
import type { Log } from '@tallyhook/platform/log';
import { adaptLogger, type Logger, silentLogger } from '@tallyhook/platform/logger';
import { createPrng } from '@tallyhook/platform/prng';
import { type Listing, type RunningService, seededInviteCode } from 'listing-service';
import {
  isPersistent,
  type LocalDiscord,
  type LocalDiscordOptions,
  persistedState,
  startLocalDiscord,
} from 'local-discord';
import { z } from 'zod';
import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import type { App } from '../app/app-interface.ts';
import type { Ledger } from '../core/ledger/program-ledger.ts';
import {
  botId,
  guildMembers,
  guildNames,
  type ListingSettings,
  memberName,
  pictureOfBot,
  pictureOfItem,
  voters,
} from './community.ts';
import { openDataDirectory } from './data-directory.ts';
import {
  createFaultInjection,
  createOutageSwitch,
  type DeliveryResponse,
  type FaultInjection,
  type OutageSwitch,
} from './fault-injection.ts';
import {
  createServiceApplication,
  pictureOfServer,
  registerWebhooks,
  registration,
  startListingService,
  type Track,
} from './listing-service.ts';
import {
  type CommandLine,
  type FaultAction,
  type PagePorts,
  type SandboxEvents,
  type StartOver,
  type TimelineItem,
  type Tours,
  tourNames,
} from './page/ports.ts';
import { createSandboxPage } from './page/sandbox-page.ts';
import { createSandboxBot } from './sandbox-bot.ts';
import { openSandboxClock, type SandboxClock } from './sandbox-clock.ts';
import { type ImitatedSite, type ListingSites, startListingSites } from './sites.ts';

/** tallyhook with a local Discord and a local listing service. The bot is the same code as in production. */
export interface Sandbox {
  readonly discord: LocalDiscord;
  readonly service: RunningService;
  readonly app: App;
  /** The directory of its databases and state files. */
  readonly directory: string;
  /** Base URLs, without a trailing slash. */
  readonly urls: { readonly page: string; readonly service: string; readonly bot: string };
  /** The time of service, Discord and bot: after `clock.advance(12 * hour)` every member may vote again. */
  readonly clock: SandboxClock;
  /** Sends deliveries that the service would not send. `discord.faults` injects faults into Discord. */
  readonly faultInjection: FaultInjection;
  /** Makes a part unreachable for a duration (ms of real time): `outages.discord.begin(10_000)`. */
  readonly outages: { readonly discord: OutageSwitch; readonly service: OutageSwitch };
  /** Emits each step of each delivery, and the start and end of outages. */
  readonly events: EventEmitter<SandboxEvents>;
  /** Stops the bot, Discord and the service, in this order. */
  stop(): Promise<void>;
}

/**
 * The options of a sandbox. Without any it starts empty, logs nothing, listens on free ports, and deletes its files at
 * the end.
 */
export interface SandboxOptions {
  /** Directory for its state; the next sandbox with this directory continues from there. */
  readonly directory?: string;
  /**
   * Settings for the bot, except those that connect it to the sandbox: credits, HOST, PORT (default: a free one),
   * OWNER_TOKEN, …
   */
  readonly environment?: Environment;
  /** 0 selects a free port. */
  readonly ports?: { readonly page: number; readonly service: number };
  /** Seconds that pass in the sandbox per second of real time: 1 (default) to 60. */
  readonly speed?: number;
  /** Seed of the pseudorandom numbers, for repeatable runs; `none` starts without votes and reviews. */
  readonly seed?: number | 'none';
  /** The clock that the sandbox clock is based on (default: the system's), for runs at a fixed time. */
  readonly realClock?: Clock;
  /** Settings of both listings that replace the sandbox's, as in `TALLYHOOK_CONFIG`: `announcements`, `shop`, … */
  readonly listingSettings?: ListingSettings;
  /** True if the bot knows the listings at the start (default: true). Otherwise they are linked with `/setup`. */
  readonly linked?: boolean;
  /**
   * True if the bot has a past in its first run: thirty days of votes by its members, orders in the shop, prizes, and a vote
   * panel (default: false).
   */
  readonly history?: boolean;
  /** True if members can also vote on imitations of other listing sites (default: true). */
  readonly sites?: boolean;
  /** Offers of the command line on the page. @internal */
  readonly commandLine?: CommandLine & {
    /** Replaces the tour that was chosen before. */ readonly tour?: StartOver['tour'] | undefined;
  };
  /** For the service and Discord. */
  readonly log?: Logger;
  /** Creates the bot's log; its configuration has the level and the secrets to redact. */
  readonly botLog?: (config: Config) => Logger;
}

/** Above this speed the leases of effects would expire before an attempt can finish. */
export const maxSpeed = 60;

const host = '127.0.0.1';

/**
 * Starts the service, Discord and the bot, and registers the bot's webhooks with the service. The bot may still be
 * connecting when the promise resolves: see `discord.connected` and `discord.events`.
 *
 * @throws TallyhookError `cannot_listen` if a port is in use, `sandbox_clock` for a speed below 1, `page_not_bundled`, and
 *   `cannot_write` for an unusable directory
 * @throws InvalidConfigError for invalid settings in the environment
 * @example
 * ```ts
 * import { startSandbox } from 'tallyhook/sandbox';
 *
 * const sandbox = await startSandbox({ environment: { CREDITS_PER_VOTE: '25' } });
 * const [member] = sandbox.discord.members;
 * if (member) await sandbox.service.castVote({ kind: 'server', userId: member.id, username: member.username });
 * sandbox.clock.advance(12 * 60 * 60 * 1000); // the member may vote again
 * await sandbox.stop();
 * ```
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { environment = {}, speed, seed, realClock, listingSettings, commandLine } = options;
  const { page: pagePort, service: servicePort } = options.ports ?? { page: 0, service: 0 };
  const isLinked = options.linked ?? true;
  const { log } = adaptLogger(options.log ?? silentLogger);
  const started: { stop(): Promise<void> }[] = [];
  const stopping = new AbortController();
  const stop = async () => {
    stopping.abort();
    for (const part of started.splice(0).reverse()) await part.stop();
  };
  const track: Track = (part) => {
    started.push(part);
    return part;
  };

  try {
    const directory = track(openDataDirectory(options.directory));
    const random = typeof seed === 'number' ? createPrng(seed) : undefined;
    const { clock } = track(openSandboxClock(directory.file('clock.json'), log, { real: realClock, speed, random }));
    const database = directory.file('service.db');
    let discordApi = '';
    const application = createServiceApplication(() => discordApi);
    const serviceOptions = { host, port: servicePort, database, clock, log, seed: seed !== 'none', track };
    const listingService = await startListingService({ ...serviceOptions, discord: application });
    const { service, relay, listings } = listingService;

    const firstTour = commandLine?.tour ?? (isLinked ? null : 'own');
    const tours = openTours(directory.file('tour.json'), firstTour, log, track);
    const events: PagePorts['events'] = new EventEmitter();
    events.on('tour', (step) => tours.finish(step));
    const emit = (item: TimelineItem) => void events.emit('timeline', item);
    const path = directory.file('sites.json');
    const sitesOptions = { host, path, listings, people: guildMembers, clock, log, emit };
    const sites = options.sites === false ? null : track(await startListingSites(sitesOptions));
    let running: RunningBot | null = null;
    const ports = createPagePorts(
      { events, service, listings: [listings.server, listings.bot], sites, isLinked, tours, commandLine, clock },
      () => running,
    );
    const discord = await startSandboxDiscord(directory.file('discord.json'), track, {
      host,
      port: pagePort,
      guild: { id: listings.server.id, name: listings.server.name, inviteCode: seededInviteCode },
      pictures: { ...pictureOfServer(service), ...pictureOfBot(), ...pictureOfItem() },
      pageExtension: createSandboxPage(ports),
      applications: [registration(application, service.url)],
      clock,
      log,
    });
    discordApi = discord.apiUrl;
    const outageOf = (name: string, setDown: (isDown: boolean) => void) => {
      const change = (isDown: boolean) => {
        setDown(isDown);
        const text = `${name} is ${isDown ? 'down' : 'available again'}`;
        emit({ kind: 'line', at: clock.now(), source: 'sandbox', tone: isDown ? 'bad' : 'good', text });
        events.emit('simulation');
      };
      return createOutageSwitch(change, systemClock, stopping.signal);
    };
    const outages = {
      discord: outageOf('Discord', (isDown) => discord.faults.outage(isDown)),
      service: outageOf('The service', (isDown) => relay.setDown(isDown)),
    };

    const sandboxBot = await createSandboxBot({
      ...{ discord, listingService, sites, directory, environment, listingSettings, isLinked, clock, emit },
      hasHistory: options.history ?? false,
      createBotLog: options.botLog,
      onConsoleOpened: () => void events.emit('tour', 'console'),
    });
    const { app, deliveries, secrets, url: bot } = track(sandboxBot);
    await sandboxBot.start();
    const findWebhook = async () => {
      for (const { kind, id } of [listings.server, listings.bot]) {
        const webhook = await service.findWebhook(id, 'vote');
        if (webhook !== null) return { kind, id, ...webhook };
      }
      return null;
    };
    const faultInjection = createFaultInjection({ bot, deliveries, findWebhook, clock });
    const { consoleLink, dashboard, runDoctor } = sandboxBot;
    running = { ledger: app.ledger, consoleLink, dashboard, runDoctor, faultInjection, outages };
    if (isLinked) await registerWebhooks(listingService, bot, secrets);
    if (isLinked) for (const each of sites?.all ?? []) each.setWebhook(`${bot}/webhooks/${each.name}`);
    await discord.pageReady();
    const urls = { page: discord.origin, service: service.url, bot };
    return { discord, service, app, directory: directory.path, urls, clock, faultInjection, outages, events, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const toursSchema = z.object({
  version: z.literal(1),
  done: z.array(z.string()),
  chosen: z.enum(tourNames).default('vote'),
});

/** The progress of the tours, from a file to which later steps are written. @param chosen replaces the stored choice */
function openTours(path: string, chosen: StartOver['tour'] | null, log: Log, track: Track): Tours {
  const stored = readJsonFile(path, toursSchema, log);
  const state = { done: new Set(stored?.done), chosen: chosen ?? stored?.chosen ?? 'vote' };
  const snapshot = () => ({ version: 1, done: [...state.done], chosen: state.chosen });
  const file = track(openJsonFile({ path, snapshot, stopwatch: systemClock, log }));
  return {
    get done() {
      return [...state.done];
    },
    get chosen() {
      return state.chosen;
    },
    finish(step) {
      state.done.add(step);
      file.scheduleWrite();
    },
    choose(tour) {
      state.chosen = tour;
      file.scheduleWrite();
    },
  };
}

/** Starts the local Discord with its page, restores its state from a file, and writes changes back to it. */
async function startSandboxDiscord(
  path: string,
  track: Track,
  options: LocalDiscordOptions & { readonly log: Log },
): Promise<LocalDiscord> {
  const { log } = options;
  const initialState = readJsonFile(path, persistedState, log);
  const discord = await startLocalDiscord({
    ...options,
    names: guildNames,
    applicationId: botId,
    people: guildMembers,
    strangers: voters,
    initialState,
  });
  const file = track(openJsonFile({ path, snapshot: () => discord.exportState(), stopwatch: systemClock, log }));
  discord.events.on('change', ({ kind }) => {
    if (isPersistent(kind)) file.scheduleWrite();
  });
  return track(discord);
}

const notLinked = 'The service sends no votes to the bot yet. Link a listing with /setup first.';
const outageMs = 10 * second;
const clockStepMs = 12 * hour;

/** The parts of the bot, which exist only after the page was created. */
interface RunningBot {
  readonly ledger: Pick<Ledger, 'account'>;
  readonly faultInjection: FaultInjection;
  readonly consoleLink: () => string;
  readonly dashboard: string;
  readonly runDoctor: PagePorts['runDoctor'];
  readonly outages: { readonly discord: OutageSwitch; readonly service: OutageSwitch };
}

function createPagePorts(
  options: Pick<PagePorts, 'events' | 'isLinked' | 'tours' | 'commandLine'> & {
    readonly service: RunningService;
    readonly listings: readonly Listing[];
    /** Other listing sites; null without them. */
    readonly sites: ListingSites | null;
    readonly clock: SandboxClock;
  },
  bot: () => RunningBot | null,
): PagePorts {
  const { events, service, listings, sites, clock, isLinked, tours, commandLine } = options;
  clock.events.on('moved', () => events.emit('simulation'));

  function requireBot(): RunningBot {
    const running = bot();
    if (running === null) throw new Error('The bot is not running yet.');
    return running;
  }

  /** Injects the fault; returns what was done, as text for the page. */
  const handlers: Readonly<Record<FaultAction, (userId: string) => Promise<string> | string>> = {
    async repeat() {
      const response = await requireBot().faultInjection.resendLast();
      if (response === null) return 'No deliveries yet. Cast a vote first.';
      return `The last delivery was sent again, byte for byte. ${describeResponse(response)}`;
    },
    async break_signature(userId) {
      const response = await requireBot().faultInjection.sendInvalidSignature(userId);
      if (response === null) return notLinked;
      return `A vote with an invalid signature was sent. ${describeResponse(response)}`;
    },
    async unknown_event(userId) {
      const response = await requireBot().faultInjection.sendUnknownEvent(userId);
      if (response === null) return notLinked;
      return `A signed event of an unknown type was sent. ${describeResponse(response)}`;
    },
    discord_down() {
      requireBot().outages.discord.begin(outageMs);
      return `Discord is down for ${outageMs / second} seconds. Votes are still recorded; announcements wait.`;
    },
    service_down() {
      requireBot().outages.service.begin(outageMs);
      return `The service is down for ${outageMs / second} seconds. Commands reply with cached data.`;
    },
    move_clock() {
      clock.advance(clockStepMs);
      const text = `The clock was advanced by ${clockStepMs / hour} hours`;
      events.emit('timeline', { kind: 'line', at: clock.now(), source: 'sandbox', tone: 'plain', text });
      return `${text}.`;
    },
  };

  function votableListing(imitated: ImitatedSite): PagePorts['listings'][number] {
    const { site, listing, page } = imitated;
    const localPage = sites?.pageOf(imitated) ?? page;
    return { kind: listing.kind, name: listing.name, site: { id: site.id, name: site.name, page, localPage } };
  }

  return {
    listings: [...listings.map(({ kind, name }) => ({ kind, name })), ...(sites?.all ?? []).map(votableListing)],
    serviceUrl: service.url,
    consoleLink: () => bot()?.consoleLink() ?? null,
    dashboard() {
      const address = bot()?.dashboard ?? null;
      if (address !== null) events.emit('tour', 'dashboard');
      return address;
    },
    isLinked,
    tours,
    commandLine,
    events,
    get outages() {
      const { discord, service: ofService } = bot()?.outages ?? {};
      return { discord: discord?.isDown ?? false, service: ofService?.isDown ?? false };
    },
    async castVote({ userId, kind, site }) {
      if (site !== undefined) {
        const imitated = sites?.all.find((each) => each.site.id === site);
        return imitated?.castVote(userId) ?? { outcome: 'refused', reason: 'There is no such site.' };
      }
      if (bot()?.outages.service.isDown) {
        return { outcome: 'refused', reason: 'The service is down, so votes are not possible.' };
      }
      const vote = { kind, userId, username: memberName(userId) };
      const { recorded, nextVoteAt, deliveryId } = await service.castVote(vote);
      if (!recorded) return { outcome: 'too_soon', nextVoteAt };
      return { outcome: 'recorded', nextVoteAt, isDelivered: deliveryId !== null };
    },
    async credits(userId) {
      const running = bot();
      return running && ((await running.ledger.account(userId))?.credits ?? 0);
    },
    async runDoctor() {
      const results = await requireBot().runDoctor();
      events.emit('tour', 'doctor');
      return results;
    },
    injectFault: async (fault, userId) => handlers[fault](userId),
  };
}

const responseSchema = z.object({ outcome: z.string().optional(), error: z.string().optional() }).catch({});

function describeResponse({ status, body }: DeliveryResponse): string {
  const { outcome, error } = responseSchema.parse(body);
  return `The bot answered ${status}: ${outcome ?? error ?? 'no details'}`;
}
