import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { CustomCommand } from '../../commands/custom-command.ts';
import type { Config } from '../../config/schema.ts';
import type { Standings } from '../core/ledger/standing.ts';
import type { ClaimedEffect } from '../core/outbox/effect.ts';
import type { RecordedDelivery } from '../core/tally/tally.ts';
import type { DiscordClient } from '../discord/gateway/own-client.ts';
import type { Handlers } from '../features/handlers/handlers.ts';
import type { Ledger } from '../features/handlers/ledger-reads.ts';
import type { AttemptResult } from '../platform/attempt-result.ts';
import type { Clock } from '../platform/clock.ts';
import { InvalidConfigError } from '../platform/invalid-config-error.ts';
import type { Log } from '../platform/log.ts';
import { callback, checkOptions, clock, instance, log } from '../platform/options.ts';
import type { Redactor } from '../platform/redactor.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import type { TextOverrides } from '../texts/overrides.ts';
import type { WebhookRoutes } from '../webhook/routes.ts';

/** A complete tallyhook instance. */
export interface App extends WebhookRoutes {
  /**
   * Balances, votes, entries and leaderboards, and changes of balances. Rejects with TallyhookError
   * `already_stopped` after {@link stop}, as `standings` does.
   */
  readonly ledger: Ledger;
  /** Rank, streak and leaderboards of the members. */
  readonly standings: Standings;
  /** All routes: webhooks, health, metrics and, with an owner token, the owner's API and console. */
  readonly http: RequestListener;
  /**
   * Connects to Discord and starts to process the outbox. With `listen: false` it does not open a port.
   * Returns the URL that it listens on; null if it does not listen or was stopped meanwhile.
   * @throws TallyhookError `cannot_listen`, or `already_started`
   */
  start(options?: { listen?: boolean }): Promise<string | null>;
  /**
   * Replaces all webhook secrets and API keys with those of a configuration that has the same listings, without a
   * restart.
   * @throws TallyhookError `lookup_key_malformed`; then nothing is replaced
   */
  reloadSecrets(config: Config): void;
  /**
   * Stops requests, effects and commands, each of which may finish within a few seconds, then closes the cache and the
   * store. Takes less than 10 s. Every acknowledged delivery is on disk.
   */
  stop(): Promise<void>;
}

/** What the caller provides: the environment, and hooks to observe the app. */
export interface AppDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every stored delivery, after its commit. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Called for every attempt on effects, before its result is stored. */
  readonly onAttempted?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
  /** Wraps the listener of all routes, to observe requests before they are handled. */
  readonly wrapListener?: (listener: RequestListener) => RequestListener;
  /** Receives the secrets that communities store, so that the log does not show them. */
  readonly redact?: Pick<Redactor, 'add'>;
  /** Your own functions for events. See docs/handlers.md. */
  readonly handlers?: Handlers;
  /**
   * Your discord.js client, for the commands instead of a connection of tallyhook's own. Log it in with the token of the
   * settings, before or after `start`, and destroy it yourself. Not used with `DISCORD_PUBLIC_KEY`.
   */
  readonly client?: DiscordClient;
  /** Your own slash commands, which are registered and answered beside those of tallyhook. */
  readonly commands?: readonly CustomCommand[];
  /** Your own texts in place of those of tallyhook, for all apps of the process. See {@link TextOverrides}. */
  readonly texts?: TextOverrides;
  /** Records spans, from `loadTracing()`; none by default. See docs/operations.md. */
  readonly tracing?: Tracing;
  /** Real time for the connection to Discord; needed if `clock` does not run in real time. */
  readonly stopwatch?: Clock;
}

const present = z.custom((value) => value !== undefined, 'it is part of every result of loadConfig');

const config = z.strictObject({
  roles: present,
  discord: present,
  lookup: present,
  siteApiUrl: present,
  listings: present,
  base: present,
  reminders: present,
  keep: present,
  databaseUrl: present,
  cacheUrl: present,
  http: present,
  publicUrl: present,
  clientSecret: present,
  encryption: present,
  ownerToken: present,
  logLevel: present,
  logFormat: present,
  tracing: present,
  warnings: present,
  secrets: present,
  linkedQuota: present,
} satisfies Record<keyof Config, z.ZodType>);

const dependencies = z.strictObject({
  clock,
  log,
  onRecorded: callback.optional(),
  onAttempted: callback.optional(),
  wrapListener: callback.optional(),
  redact: z.custom<object>((value) => typeof value === 'object' || typeof value === 'function').optional(),
  handlers: z
    .strictObject({
      onVote: callback.optional(),
      onPremium: callback.optional(),
      onStreak: callback.optional(),
      onMilestone: callback.optional(),
      onPurchase: callback.optional(),
      onReview: callback.optional(),
    })
    .optional(),
  client: instance.optional(),
  commands: z.array(instance).optional(),
  texts: instance.optional(),
  tracing: instance.optional(),
  stopwatch: clock.optional(),
} satisfies Record<keyof AppDependencies, z.ZodType>);

/** Checks what a caller passes to `createApp`. @throws InvalidConfigError with all issues */
export function checkAppOptions(settings: unknown, options: unknown): void {
  checkConfig('createApp', settings);
  checkOptions('createApp', options, dependencies, ([option]) =>
    option === undefined ? 'Pass { clock: systemClock, log: createLog({ … }) } as the second argument.' : 'Correct it.',
  );
}

/** Checks that a value is a configuration. @throws InvalidConfigError with all issues */
export function checkConfig(caller: string, settings: unknown): void {
  const isConfig = typeof settings === 'object' && settings !== null && Object.keys(config.shape).some(isIn(settings));
  if (!isConfig) {
    const problem = 'is not a configuration.';
    const hint = `Pass the result of loadConfig, which reads the environment: ${caller}(loadConfig(…), …).`;
    throw new InvalidConfigError([{ setting: 'config', problem, hint, path: [] }], caller);
  }
  checkOptions(caller, settings, config, () => 'Pass the result of loadConfig, with your changes.');
}

function isIn(value: object): (key: string) => boolean {
  return (key) => key in value;
}
