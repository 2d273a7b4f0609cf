import type { RequestListener } from 'node:http';
import type { Router } from 'express';
import type { ListedLookup, Services } from '../commands/command.ts';
import { commands } from '../commands/index.ts';
import type { Config, Listing } from '../config/schema.ts';
import { type Clock, second } from './clock.ts';
import type { ListingCard } from './discord/announcement.ts';
import { createAnnouncer } from './discord/announcer.ts';
import { createDiscordClient } from './discord/client.ts';
import { createInteractions } from './discord/interactions.ts';
import { createReach } from './discord/reach.ts';
import { createRegistrar } from './discord/registrar.ts';
import { createDiscordRest } from './discord/rest.ts';
import { tellDoubts } from './doubts.ts';
import { messageOf } from './errors.ts';
import { createHealth } from './health.ts';
import { createHttpApp } from './http-app.ts';
import { createHttpServer } from './http-server.ts';
import type { LedgerReads } from './ledger/ledger.ts';
import type { Log } from './log.ts';
import { createLookup, type OwnedLookup } from './lookup/client.ts';
import { openKeyv } from './lookup/open-keyv.ts';
import { createRekeyable } from './lookup/rekeyable.ts';
import { measured, standings, timed } from './measure.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createDispatcher } from './outbox/dispatcher.ts';
import type { Attempt, Effect } from './outbox/effect.ts';
import { createOwnerApp } from './owner-app.ts';
import { within } from './patience.ts';
import { openStore, type Store } from './store/store.ts';
import type { Recorded } from './tally/tally.ts';
import { en } from './texts/en.ts';
import { DirectRequest } from './webhook/direct-request.ts';
import { createIntake } from './webhook/intake.ts';
import { createKeyring, type Keyring } from './webhook/keyring.ts';
import { createReceiver, type Receiver } from './webhook/receiver.ts';
import { createRotatingKeyring } from './webhook/rotating-keyring.ts';

/** How long the service may take to answer (ms): a deferred command has until 15 s after the question. */
const lookupPatience = 9 * second;

/** How long cache and database may take to close (ms): a server that has gone silent must not hold up the end. */
const lastWords = 2 * second;

/** tallyhook, put together. */
export interface App {
  /** The webhook routes alone, to be mounted in somebody else's Express app: before `express.json()`, or its body is gone. */
  readonly webhooks: Router;
  /** Balances and votes, for whoever builds on them. */
  readonly ledger: LedgerReads;
  /** Everything that is served: webhooks, health, metrics and, with a token, the owner's API. */
  readonly http: RequestListener;
  /**
   * Connects to Discord and starts to work on the outbox. With `listen: false` it opens no port of its own.
   * Throws TallyhookError `cannot_listen`. Returns the address that it listens on; null where it does not, or was stopped meanwhile.
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * Exchanges the webhook secrets and API keys for those of a configuration with the same listings, all at once, while deliveries come in.
   * Throws TallyhookError `lookup_key_malformed`; then all stays as it was.
   */
  takeOver(config: Config): void;
  /**
   * Stops in the opposite order: requests, effects and commands, each with a grace of a few seconds for what is under way, then cache
   * and store. Takes less than 10 s, whoever hangs. What was acknowledged is on disk.
   */
  stop(): Promise<void>;
}

/** What the outside hands in. */
export interface Edges {
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every delivery that was stored, after its commit. */
  readonly onRecorded?: (recorded: Recorded) => void;
  /** Told of every attempt on effects, before what became of it is written down. */
  readonly onAttempted?: (effects: readonly Effect[], attempt: Attempt) => void;
  /** Put around all that is served, to see each request before it is handled. */
  readonly around?: (listener: RequestListener) => RequestListener;
  /** The time that really passes, where that is not the clock's: for connections to Discord. */
  readonly stopwatch?: Clock;
}

/** Makes every adapter and hands each room its slice of the configuration. Opens the store; connects to nothing yet. */
export async function createApp(config: Config, edges: Edges): Promise<App> {
  const { clock, log, onRecorded = () => {}, onAttempted = () => {}, around = (listener) => listener } = edges;
  const store = await openStore(config.databaseUrl, clock);
  const cache = await openKeyv(config.cacheUrl, (fault) =>
    log.warn({ reason: messageOf(fault) }, 'the cache is at fault; going on without'),
  );
  const metrics = createMetrics({
    waitingTransactions: store.waiting,
    effects: store.outbox.sizes,
    waitingSince: () => store.outbox.waitingSince(clock.now()),
    isConnected: () => discord.ready,
    keys: () => standings(listings),
    now: clock.now,
  });

  const lookups = config.listings
    .filter((listing) => listing.lookupKey !== null)
    .map((listing) => ({
      name: listing.name,
      ...createRekeyable((key) => lookupOf(listing, key), listing.lookupKey ?? ''),
    }));
  const listings = lookups.toSorted((a, b) => Number(a.lookup.kind === 'bot') - Number(b.lookup.kind === 'bot'));

  function lookupOf(listing: Listing, key: string): OwnedLookup {
    return createLookup({
      kind: listing.kind,
      baseUrl: config.lookup.baseUrl,
      key,
      cache,
      budget: store.budgetLog,
      clock,
      log,
      timeoutMs: lookupPatience,
      lastVote: (userId) => store.ledger.lastVoteAt(userId, listing.name),
      cooldownMs: listing.terms.cooldown,
      ...measured(listing.name, metrics),
    });
  }

  const services: Services = { listings, texts: en, clock };
  const rest = createDiscordRest(config.discord);
  const dispatcher = createDispatcher({
    outbox: store.outbox,
    perform: createAnnouncer({ rest, texts: en, listingOf: cardFrom(listings), clock, log }),
    isReachable: createReach(rest),
    clock,
    log,
    onAttempt(effects, attempt) {
      metrics.attempts.inc({ outcome: attempt.outcome }, effects.length);
      onAttempted(effects, attempt);
    },
  });

  const registrar = createRegistrar({ rest, guildId: config.discord.guildId, commands, services, clock, log });
  const discord = createDiscordClient({
    ...config.discord,
    clock: edges.stopwatch ?? clock,
    log,
    onInteraction: createInteractions({
      commands,
      services,
      log,
      onAnswered(command, outcome, took) {
        metrics.commands.inc({ command, outcome });
        metrics.commandSeconds.observe({ command }, took / second);
      },
    }),
    onReady: (applicationId) => {
      registrar.start(applicationId);
      dispatcher
        .wake()
        .catch((error: unknown) => log.warn({ reason: messageOf(error) }, 'the outbox could not be woken'));
    },
  });

  const parts: Parts = {
    store,
    clock,
    log,
    metrics,
    onRecorded(recorded) {
      dispatcher.nudge();
      onRecorded(recorded);
    },
  };
  const keyring = createRotatingKeyring(createKeyring(config.listings));
  const receiver = receiverFor(keyring, parts);
  const discordPart = async () => {
    if (!discord.ready) throw new Error('not connected to the gateway');
  };
  const vital = { store: store.probe, discord: discordPart };
  const health = createHealth(vital, metrics);
  const keys = () => standings(listings);
  const owner = createOwnerApp(config, { ...parts, vital, keys, nudge: dispatcher.nudge });
  const http = receiver.before(createHttpApp({ webhooks: receiver.router, health, owner, log }));
  const server = createHttpServer(around(http), { IncomingMessage: DirectRequest });
  let stopped: Promise<void> | undefined;

  return {
    webhooks: receiver.router,
    http,
    ledger: store.ledger,
    async start({ listen = true } = {}) {
      const isWanted = listen && stopped === undefined;
      const address = isWanted ? await server.listen(config.http.host, config.http.port) : null;
      if (stopped !== undefined) return null;
      dispatcher.start();
      discord.start();
      tellDoubts(config, log);
      if (address !== null) log.info({ url: address.url }, 'receiving webhooks');
      return address?.url ?? null;
    },
    takeOver({ listings: next }) {
      const keyOf = (name: string) => next.find((listing) => listing.name === name)?.lookupKey;
      const prepared = lookups.flatMap(({ name, prepare }) => {
        const key = keyOf(name);
        return key ? [prepare(key)] : [];
      });
      keyring.rotate(createKeyring(next));
      for (const exchange of prepared) exchange();
    },
    stop() {
      stopped ??= (async () => {
        registrar.stop();
        await Promise.all([server.close(), dispatcher.stop(), discord.stop()]);
        await within(lastWords, clock, cache.disconnect());
        await within(lastWords, clock, store.close());
        log.info('stopped');
      })();
      return stopped;
    },
  };
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onRecorded: (recorded: Recorded) => void;
}

function receiverFor(keyring: Keyring, { store, clock, log, metrics, onRecorded }: Parts): Receiver {
  const intake = createIntake({ keyring, recorder: timed(store.recorder, metrics), clock, log, onRecorded });
  return createReceiver({
    intake,
    clock,
    log,
    observe: ({ status, outcome, took }) => {
      metrics.deliveries.inc({ status, outcome: outcome ?? 'refused' });
      metrics.deliverySeconds.observe(took / second);
    },
  });
}

/** The listing as the service shows it, for announcements. */
function cardFrom(listings: readonly ListedLookup[]): (name: string) => Promise<ListingCard | null> {
  return async (name) => {
    const listed = listings.find((listing) => listing.name === name);
    if (listed === undefined) return null;
    const { value } = await listed.lookup.profile();
    return { name: value.name, url: value.url };
  };
}
