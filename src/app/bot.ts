import type { CommandContext, ListedLookup } from '../../commands/command.ts';
import { commands } from '../../commands/index.ts';
import type { Config } from '../../config/schema.ts';
import type { ListingCard } from '../discord/announcement.ts';
import { createAnnouncer } from '../discord/announcer.ts';
import type { CommandRegistry } from '../discord/command-registry.ts';
import { createGatewayClient } from '../discord/gateway-client.ts';
import { createGlobalRateLimit } from '../discord/global-rate-limit.ts';
import { createInteractions } from '../discord/interactions.ts';
import { createReachabilityProbe } from '../discord/probe.ts';
import { createRegistrar } from '../discord/registrar.ts';
import { ownApplicationId } from '../discord/registration.ts';
import { createDiscordRest } from '../discord/rest.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { createDispatcher } from '../outbox/dispatcher.ts';
import type { AttemptResult, Effect } from '../outbox/effect.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';

/** All that Discord sees of tallyhook: it answers commands, and does what waits in the outbox. */
export interface Bot {
  /** To the gateway, with every shard. */
  readonly isConnected: boolean;
  /** Connects, and starts to work on the outbox. */
  start(): void;
  /** An effect waits: look at once. */
  nudge(): void;
  /** Ends commands and effects, each with a grace of a few seconds for what is under way. */
  stop(): Promise<void>;
}

/** What the bot works with. */
export interface BotDependencies {
  readonly context: CommandContext;
  readonly outbox: Outbox;
  readonly commandRegistry: CommandRegistry;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The time that really passes: for the connection. */
  readonly stopwatch: Clock;
  readonly onAttempted: (effects: readonly Effect[], attempt: AttemptResult) => void;
}

/** Puts the bot together; it connects to nothing yet. */
export function createBot(discord: Config['discord'], parts: BotDependencies): Bot {
  const { context: services, outbox, commandRegistry, metrics, log, stopwatch, onAttempted } = parts;
  const { clock, listings, texts } = services;
  const globalLimit = createGlobalRateLimit(stopwatch);
  const rest = createDiscordRest({ ...discord, clock: stopwatch, globalLimit });
  const dispatcher = createDispatcher({
    outbox,
    perform: createAnnouncer({ rest, texts, listingOf: listingCardFrom(listings), clock, log }),
    isReachable: createReachabilityProbe(rest),
    clock,
    log,
    onAttempt(effects, attempt) {
      metrics.attempts.inc({ outcome: attempt.outcome }, effects.length);
      onAttempted(effects, attempt);
    },
  });
  const registrar = createRegistrar({
    rest,
    guildId: discord.guildId,
    commands,
    services,
    registry: commandRegistry,
    clock,
    log,
  });
  const client = createGatewayClient({
    ...discord,
    clock: stopwatch,
    log,
    globalLimit,
    onInteraction: createInteractions({
      commands,
      services,
      isOwnCommand: registrar.isOwn,
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

  return {
    get isConnected() {
      return client.ready;
    },
    start() {
      dispatcher.start();
      client.start();
      // Usually faster than the gateway, so that the ids of our commands are known before they are used. If it fails, the gateway tells.
      ownApplicationId(rest).then(registrar.start, () => {});
    },
    nudge: dispatcher.nudge,
    async stop() {
      registrar.stop();
      await Promise.all([dispatcher.stop(), client.stop()]);
    },
  };
}

/** The listing as the service shows it, for announcements. */
function listingCardFrom(listings: readonly ListedLookup[]): (name: string) => Promise<ListingCard | null> {
  return async (name) => {
    const listed = listings.find((listing) => listing.name === name);
    if (listed === undefined) return null;
    const { value } = await listed.lookup.profile();
    return { name: value.name, url: value.url };
  };
}
