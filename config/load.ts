import querystring from 'node:querystring';
import { z } from 'zod';
import type { KeySources } from '../src/platform/encryption/encryption.ts';
import { type ConfigIssue, InvalidConfigError } from '../src/platform/invalid-config-error.ts';
import { checkOptions } from '../src/platform/options.ts';
import { toListingBase } from './describe-listings.ts';
import { keySourcesOf } from './encryption.ts';
import type { Environment } from './environment.ts';
import { readListings } from './listings.ts';
import { readValues } from './read-values.ts';
import { needsDiscord, rolesOf } from './roles.ts';
import type { Config, ListingConfig } from './schema.ts';
import { type SettingName, settings, type Values } from './settings.ts';
import { exporterOptionsOf, secretsOfHeaders } from './tracing.ts';
import { configWarnings } from './warnings.ts';

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
  const { values, issues, secretFiles } = readValues(environment);
  const { listings, sources, secretFiles: codesFiles } = readListings(values, issues);
  issues.unshift(...missingSettings(values, listings, issues));
  if (issues.length > 0) throw new InvalidConfigError(issues);

  const config: Config = {
    roles: rolesOf(values),
    discord: {
      token: values.DISCORD_TOKEN ?? '',
      apiUrl: values.DISCORD_API_URL ?? '',
      guildId: values.DISCORD_GUILD_ID ?? null,
      publicKey: values.DISCORD_PUBLIC_KEY ?? null,
    },
    lookup: { baseUrl: values.LOOKUP_BASE_URL ?? '' },
    siteApiUrl: values.SITE_API_URL ?? null,
    listings,
    base: toListingBase(environment, values, sources),
    reminders: values.REMINDERS === 'on',
    keep: { bodiesMs: values.KEEP_BODIES ?? null, effectsMs: values.KEEP_EFFECTS ?? null },
    linkedQuota: {
      maxDeliveries: values.LINKED_DELIVERIES_PER_HOUR ?? 0,
      maxBytes: (values.LINKED_MIB_PER_HOUR ?? 0) * 1024 * 1024,
    },
    databaseUrl: values.DATABASE_URL ?? '',
    cacheUrl: values.CACHE_URL ?? '',
    http: { host: values.HOST ?? '', port: values.PORT ?? 0 },
    publicUrl: values.PUBLIC_URL ?? null,
    clientSecret: values.DISCORD_CLIENT_SECRET ?? null,
    encryption: keySourcesOf(values),
    ownerToken: values.OWNER_TOKEN ?? null,
    logLevel: values.LOG_LEVEL ?? 'info',
    logFormat: values.LOG_FORMAT ?? 'auto',
    tracing: exporterOptionsOf(values),
    warnings: configWarnings(environment, [...secretFiles, ...codesFiles]),
    secrets: secretsIn(values, listings),
  };
  return deepFreeze(config);
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

/** An issue for each required setting that is missing, unless it already has one because its value is invalid. */
function missingSettings(
  values: Values,
  listings: readonly ListingConfig[],
  issues: readonly ConfigIssue[],
): ConfigIssue[] {
  if (!needsDiscord(rolesOf(values))) return [];
  const isOnOtherSites = listings.length > 0 && listings.every(({ site }) => site !== undefined);
  const required = ['DISCORD_TOKEN', ...(isOnOtherSites ? [] : (['LOOKUP_BASE_URL'] as const))] as const;
  return required
    .filter((name) => values[name] === undefined && !issues.some(({ setting }) => setting.startsWith(name)))
    .map((name) => ({ setting: name, problem: 'is missing.', hint: `Set it to ${settings[name].expected}.` }));
}

function secretsIn(values: Values, listings: readonly ListingConfig[]): string[] {
  const listingSecrets = listings.flatMap((listing) => [
    listing.lookupKey,
    listing.site?.key,
    listing.voteAuthorization,
    ...listing.voteSecrets,
    ...listing.premiumSecrets,
  ]);
  const passwords = [values.DATABASE_URL, values.CACHE_URL, values.OTEL_EXPORTER_OTLP_ENDPOINT].flatMap((url) =>
    passwordsIn(url ?? ''),
  );
  const { DISCORD_TOKEN, DISCORD_CLIENT_SECRET, OWNER_TOKEN, SETTINGS_KEY, NEW_SETTINGS_KEY } = values;
  const ownSecrets = [DISCORD_TOKEN, DISCORD_CLIENT_SECRET, OWNER_TOKEN, SETTINGS_KEY, NEW_SETTINGS_KEY];
  const headers = secretsOfHeaders(values.OTEL_EXPORTER_OTLP_HEADERS ?? {});
  const secrets = [...ownSecrets, ...listingSecrets, ...passwords, ...headers];
  return [...new Set(secrets.filter((secret): secret is string => Boolean(secret)))];
}

/** The password of a URL, both encoded and decoded. PostgreSQL accepts it in the query as well. */
function passwordsIn(url: string): string[] {
  const [, encoded = ''] = /^\w+:\/\/[^:@/]*:([^@]*)@/.exec(url) ?? [];
  const inQuery = URL.canParse(url) ? new URL(url).searchParams.get('password') : null;
  return [encoded, querystring.unescape(encoded), inQuery ?? ''];
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
