import { z } from 'zod';
import type { CustomCommand } from '../commands/custom-command.ts';
import type { RecordedDelivery } from '../src/core/tally/tally.ts';
import type { DiscordClient } from '../src/discord/gateway/own-client.ts';
import type { Handlers } from '../src/features/handlers/handlers.ts';
import type { Clock } from '../src/platform/clock.ts';
import { InvalidConfigError } from '../src/platform/invalid-config-error.ts';
import type { Logger } from '../src/platform/logger.ts';
import { callback, checkOptions, clock, instance } from '../src/platform/options.ts';
import type { Tracing } from '../src/platform/tracing/tracing.ts';
import type { TextOverrides } from '../src/texts/overrides.ts';
import { type AppSettings, appSettings, configOfOptions } from './app-settings.ts';
import { appHandlers, codeOptions, hintForListings } from './code-options.ts';
import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';
import { settingNames } from './settings.ts';

/** What an app takes beside its settings: your code, and what it runs with. */
export interface AppDependencies {
  /** Your own functions for events. */
  readonly handlers?: Handlers;
  /**
   * Your discord.js client, for the commands instead of a connection of tallyhook's own. Log it in with the token of the
   * settings, before or after `start`, and destroy it yourself. Not used with a `publicKey`.
   */
  readonly client?: DiscordClient;
  /** Your own slash commands, which are registered and answered beside those of tallyhook. */
  readonly commands?: readonly CustomCommand[];
  /** Your own texts in place of those of tallyhook, for all apps of the process. See {@link TextOverrides}. */
  readonly texts?: TextOverrides;
  /** Called for every stored delivery, after its commit, in this process only; unlike a handler, it is not repeated. */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
  /** Any logger, such as `console`; by default warnings and errors are JSON lines on stdout. Secrets are removed. */
  readonly log?: Logger;
  /** The clock of this machine by default. */
  readonly clock?: Clock;
  /** Records spans, from `loadTracing()`; none by default. */
  readonly tracing?: Tracing;
}

/** Everything that an app needs, in code: its settings, and what it takes beside them. */
export interface AppOptions extends AppSettings, AppDependencies {}

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
  ...codeOptions,
  handlers: appHandlers.optional(),
  client: instance.optional(),
  commands: z.array(instance).optional(),
  texts: instance.optional(),
} satisfies Record<keyof AppDependencies, z.ZodType>);

/** With a ready configuration, also those of programs within the package. */
const internalDependencies = dependencies.extend({
  onAttempted: callback.optional(),
  wrapListener: callback.optional(),
  stopwatch: clock.optional(),
});

const appOptions = z.strictObject({
  ...appSettings,
  ...dependencies.shape,
} satisfies Record<keyof AppOptions, z.ZodType>);

/**
 * Options of an app as its configuration.
 * @param environment the variables that they complete; null if all settings are in the options
 * @throws InvalidConfigError with all issues
 */
export function readAppOptions(options: unknown, environment: Environment | null): Config {
  const caller = environment === null ? 'createApp' : 'createApp.fromEnvironment';
  if (environment === null) rejectEnvironment(options);
  else checkOptions(caller, environment, z.looseObject({}), () => `Pass the environment: ${caller}(process.env).`);
  return configOfOptions(checkOptions(caller, options, appOptions, hintFor(options)), environment);
}

function rejectEnvironment(options: unknown): void {
  if (typeof options === 'object' && options !== null && ['PATH', ...settingNames].some(isIn(options))) {
    const problem = 'is not an object of options, but variables of the environment.';
    const hint = 'Use createApp.fromEnvironment(process.env).';
    throw new InvalidConfigError([{ setting: 'options', problem, hint, path: [] }], 'createApp');
  }
}

function hintFor(options: unknown) {
  return (path: readonly (string | number)[]): string => {
    switch (path[0]) {
      case undefined:
        return 'Pass an object, such as { token, lookup: { baseUrl }, listings: […], database }, or use createApp.fromEnvironment(process.env).';
      case 'listings':
        return hintForListings(path, options);
      case 'handlers':
        return `The handlers are ${Object.keys(appHandlers.shape).join(', ')}.`;
      default:
        return 'Correct or remove it.';
    }
  };
}

/** Whether a value is a result of `loadConfig`, perhaps with changes, instead of options. */
export function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && ['databaseUrl', 'cacheUrl', 'secrets'].every(isIn(value));
}

/** Checks a configuration and what goes with it. @throws InvalidConfigError with all issues */
export function checkConfigured(settings: unknown, options: unknown): void {
  checkConfig('createApp', settings);
  checkOptions('createApp', options, internalDependencies, hintFor(options));
}

/** Checks that a value is a configuration. @throws InvalidConfigError with all issues */
export function checkConfig(caller: string, settings: unknown): void {
  if (!isConfig(settings)) {
    const problem = 'is not a configuration.';
    const hint = `Pass the result of loadConfig, which reads the environment: ${caller}(loadConfig(…), …).`;
    throw new InvalidConfigError([{ setting: 'config', problem, hint, path: [] }], caller);
  }
  checkOptions(caller, settings, config, () => 'Pass the result of loadConfig, with your changes.');
}

function isIn(value: object): (key: string) => boolean {
  return (key) => key in value;
}
