import { z } from 'zod';
import type { KeySources } from '../src/platform/encryption/encryption.ts';
import { InvalidConfigError } from '../src/platform/invalid-config-error.ts';
import { checkOptions } from '../src/platform/options.ts';
import { configOfOptions } from './app-settings.ts';
import { keySourcesOf } from './encryption.ts';
import type { Environment } from './environment.ts';
import { readValues } from './read-values.ts';
import type { Config } from './schema.ts';
import type { SettingName } from './settings.ts';

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
  const { values, issues } = readValues(environment);
  const databaseIssues = issues.filter(({ setting }) => setting.startsWith('DATABASE_URL'));
  if (databaseIssues.length > 0 || values.DATABASE_URL === undefined) throw new InvalidConfigError(databaseIssues);
  return values.DATABASE_URL;
}

/** Where the keys of secrets in the database are, for commands that need no other setting. @throws InvalidConfigError */
export function loadKeySources(environment: Environment): KeySources {
  const { values, issues } = readValues(environment);
  const keyIssues = issues.filter(({ setting }) => /^(NEW_)?SETTINGS_KEY|^DATABASE_URL/.test(setting));
  if (keyIssues.length > 0) throw new InvalidConfigError(keyIssues);
  return keySourcesOf(values);
}

/** `HOST` and `PORT` alone. @throws InvalidConfigError with the issues of these settings */
export function loadHttpAddress(environment: Environment): Config['http'] {
  const { values, issues } = readValues(environment);
  const addressIssues = issues.filter(({ setting }) => /^(HOST|PORT)(_FILE)?$/.test(setting));
  if (addressIssues.length > 0) throw new InvalidConfigError(addressIssues);
  return { host: values.HOST ?? '', port: values.PORT ?? 0 };
}

/**
 * `LOG_FORMAT` alone, for a log that is needed before the configuration is complete. An invalid value counts as `auto`.
 */
export function loadLogFormat(environment: Environment): Config['logFormat'] {
  return readValues(environment).values.LOG_FORMAT ?? 'auto';
}
