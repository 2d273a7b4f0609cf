import type { KeySources } from '@tallyhook/platform/encryption/encryption';
import { InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { checkOptions } from '@tallyhook/platform/options';
import { z } from 'zod';
import { configOfOptions } from './app-settings.ts';
import { keySourcesOf } from './encryption.ts';
import type { Environment } from './environment.ts';
import { readValues } from './read-values.ts';
import type { Config } from './schema.ts';
import type { SettingName, Values } from './settings.ts';

/**
 * Whether the environment is meant for a real Discord. Without `DISCORD_TOKEN` and `TALLYHOOK_ROLES`, and outside of
 * production, the sandbox runs.
 */
export function isConfigured(environment: Environment): boolean {
  const isSet = (name: SettingName) => Boolean(environment[name] || environment[`${name}_FILE`]);
  return isSet('DISCORD_TOKEN') || isSet('TALLYHOOK_ROLES') || isProduction(environment);
}

function isProduction(environment: Environment): boolean {
  return environment['NODE_ENV'] === 'production';
}

/**
 * Reads and validates all settings. The result is frozen.
 * @category Start here
 * @throws InvalidConfigError `invalid_settings`, with all issues; `invalid_options` without an environment
 * @example
 * ```ts
 * import { InvalidConfigError, loadConfig } from 'tallyhook';
 *
 * try {
 *   const { listings } = loadConfig(process.env);
 *   console.log(listings.map(({ name }) => name));
 * } catch (error) {
 *   if (error instanceof InvalidConfigError) for (const { setting, hint } of error.issues) console.error(setting, hint);
 * }
 * ```
 */
export function loadConfig(environment: Environment): Config {
  checkOptions('loadConfig', environment, z.looseObject({}), () => 'Pass the environment: loadConfig(process.env).');
  return configOfOptions({}, environment);
}

/**
 * `DATABASE_URL` alone, for commands that need no other setting: a backup must not fail because of a missing token.
 * @throws InvalidConfigError with the issues of this setting
 */
export function loadDatabaseUrl(environment: Environment): string {
  return validValues(environment, /^DATABASE_URL/).DATABASE_URL ?? '';
}

/** Where the keys of secrets in the database are, for commands that need no other setting. @throws InvalidConfigError */
export function loadKeySources(environment: Environment): KeySources {
  return keySourcesOf(validValues(environment, /^(NEW_)?SETTINGS_KEY|^DATABASE_URL/));
}

/** `HOST` and `PORT` alone. @throws InvalidConfigError with the issues of these settings */
export function loadHttpAddress(environment: Environment): Config['http'] {
  const { HOST: host = '', PORT: port = 0 } = validValues(environment, /^(HOST|PORT)(_FILE)?$/);
  return { host, port };
}

function validValues(environment: Environment, names: RegExp): Values {
  const { values, issues } = readValues(environment);
  const ofNames = issues.filter(({ setting }) => names.test(setting));
  if (ofNames.length > 0) throw new InvalidConfigError(ofNames);
  return values;
}

/**
 * `LOG_FORMAT` alone, for a log that is needed before the configuration is complete. An invalid value counts as `auto`.
 */
export function loadLogFormat(environment: Environment): Config['logFormat'] {
  return readValues(environment).values.LOG_FORMAT ?? 'auto';
}
