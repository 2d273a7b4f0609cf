import querystring from 'node:querystring';
import { isDeepStrictEqual } from 'node:util';
import type { KeySources } from '@tallyhook/platform/encryption/encryption';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { checkOptions } from '@tallyhook/platform/options';
import { tokenProblem } from '@tallyhook/platform/pasted-forms';
import type { SecretFile } from '@tallyhook/platform/secret-files';
import type { ExporterOptions } from '@tallyhook/platform/tracing/exporter-options';
import { z } from 'zod';
import { webhookEndpoints } from '../src/features/events/event.ts';
import { toListingBase } from './describe.ts';
import { type Environment, invalidValue, keySourcesOf, mayStoreSecrets, readValues } from './environment.ts';
import { listedListings, type ReadListings, readListings, toListings } from './listings.ts';
import { listings } from './listings-file.ts';
import type { Config, ListingConfig, ListingSource } from './schema.ts';
import {
  needsDiscord,
  readSetting,
  roles,
  rolesOf,
  type SettingName,
  settings,
  type Values,
  type Variable,
} from './settings.ts';
import { configWarnings } from './warnings.ts';

/** True if the environment is for a real Discord. Otherwise, and outside of production, the sandbox runs. */
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

/** `DATABASE_URL` alone: a backup must not fail because of a missing token. @throws InvalidConfigError */
export function loadDatabaseUrl(environment: Environment): string {
  return validValues(environment, /^DATABASE_URL/).DATABASE_URL ?? '';
}

/** Where the keys of secrets in the database are. @throws InvalidConfigError */
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

/** `LOG_FORMAT` alone, for a log before the configuration is complete. An invalid value counts as `auto`. */
export function loadLogFormat(environment: Environment): Config['logFormat'] {
  return readValues(environment).values.LOG_FORMAT ?? 'auto';
}

export const unsetHint = 'If it comes from an environment variable, that variable is empty or not set.';

function text<Value>(setting: Variable<Value>) {
  const message = `it must be ${setting.expected}`;
  return z
    .string(message)
    .transform((value, context) => {
      const parsed = readSetting(setting, value);
      if (parsed.success) return parsed.data;
      context.addIssue(parsed.problem ?? message);
      return z.NEVER;
    })
    .optional();
}

/** A path alone means a SQLite file. */
function address(setting: Variable<string>) {
  const withScheme = (value: unknown) =>
    typeof value === 'string' && value !== '' && !/^(sqlite:|memory:$)|:\/\//.test(value) ? `sqlite:${value}` : value;
  return z.preprocess(withScheme, text(setting));
}

const perHour = z.int().min(1).max(1_000_000_000).optional();

export const appSettings = {
  token: text(settings.DISCORD_TOKEN),
  discord: z
    .strictObject({
      apiUrl: text(settings.DISCORD_API_URL),
      guildId: text(settings.DISCORD_GUILD_ID),
      publicKey: text(settings.DISCORD_PUBLIC_KEY),
      clientSecret: text(settings.DISCORD_CLIENT_SECRET),
    })
    .optional(),
  lookup: z.strictObject({ baseUrl: text(settings.LOOKUP_BASE_URL) }).optional(),
  siteApiUrl: text(settings.SITE_API_URL),
  postServerCount: z.boolean().optional(),
  topggIntegrationSecret: text(settings.TOPGG_INTEGRATION_SECRET),
  listings: listings.optional(),
  database: address(settings.DATABASE_URL),
  cache: address(settings.CACHE_URL),
  host: text(settings.HOST),
  port: z.int().min(0).max(65_535).optional(),
  publicUrl: text(settings.PUBLIC_URL),
  ownerToken: text(settings.OWNER_TOKEN),
  webhookPrivateTargets: z.boolean().optional(),
  roles: z
    .array(z.enum(roles))
    .min(1)
    .refine((all) => new Set(all).size === all.length, 'it must name each role once')
    .optional(),
  reminders: z.boolean().optional(),
  keep: z.strictObject({ bodies: text(settings.KEEP_BODIES), effects: text(settings.KEEP_EFFECTS) }).optional(),
  linkedQuota: z.strictObject({ deliveriesPerHour: perHour, mibPerHour: perHour }).optional(),
  settingsKey: text(settings.SETTINGS_KEY),
  newSettingsKey: text(settings.NEW_SETTINGS_KEY),
};

const onOff = (value: boolean | undefined) => (value === undefined ? undefined : value ? 'on' : 'off');

type ParsedSettings = z.output<z.ZodObject<typeof appSettings>>;

function valuesOf({ discord = {}, keep = {}, linkedQuota = {}, ...options }: ParsedSettings): Partial<Values> {
  const values: Partial<Values> = {
    DISCORD_TOKEN: options.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    DISCORD_PUBLIC_KEY: discord.publicKey,
    DISCORD_CLIENT_SECRET: discord.clientSecret,
    LOOKUP_BASE_URL: options.lookup?.baseUrl,
    SITE_API_URL: options.siteApiUrl,
    POST_SERVER_COUNT: onOff(options.postServerCount),
    TOPGG_INTEGRATION_SECRET: options.topggIntegrationSecret,
    DATABASE_URL: options.database,
    CACHE_URL: options.cache,
    HOST: options.host,
    PORT: options.port,
    PUBLIC_URL: options.publicUrl,
    OWNER_TOKEN: options.ownerToken,
    WEBHOOK_PRIVATE_TARGETS: options.webhookPrivateTargets ? 'on' : undefined,
    TALLYHOOK_ROLES: options.roles,
    REMINDERS: onOff(options.reminders),
    KEEP_BODIES: keep.bodies,
    KEEP_EFFECTS: keep.effects,
    LINKED_DELIVERIES_PER_HOUR: linkedQuota.deliveriesPerHour,
    LINKED_MIB_PER_HOUR: linkedQuota.mibPerHour,
    SETTINGS_KEY: options.settingsKey,
    NEW_SETTINGS_KEY: options.newSettingsKey,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** In code, no other file is created than the database, and nothing is logged but what needs attention. */
const defaultsInCode = { CACHE_URL: 'memory:', LOG_LEVEL: 'warn' } as const;

/** The configuration of settings in code, over those of an environment (or null). @throws InvalidConfigError */
export function configOfOptions(options: ParsedSettings, environment: Environment | null): Config {
  const { values: variables, issues, secretFiles } = readValues(environment ?? {});
  const values: Values = { ...variables, ...(environment === null && defaultsInCode), ...valuesOf(options) };
  const read = readAllListings(options, values, environment, issues);
  const placeOf = (name: RequiredSetting) =>
    environment === null ? requiredOptions[name] : { setting: name, hint: `Set it to ${settings[name].expected}.` };
  issues.push(...tokenIssues(values, placeOf), ...endpointIssues(values, issues));
  issues.unshift(...missingSettings(values, read.listings, issues, placeOf));
  if (issues.length > 0) throw new InvalidConfigError(issues, environment === null ? 'createApp' : null);
  return toConfig({ environment: environment ?? {}, values, read, secretFiles });
}

/** Tokens of Discord itself have one form, unlike those of a local Discord. */
function tokenIssues(
  { DISCORD_TOKEN: token, DISCORD_API_URL: apiUrl = '' }: Values,
  placeOf: (name: RequiredSetting) => Omit<ConfigIssue, 'problem'>,
): ConfigIssue[] {
  const found = token === undefined ? null : tokenProblem(token, apiUrl);
  if (found === null) return [];
  return [{ ...placeOf('DISCORD_TOKEN'), problem: invalidValue(settings.DISCORD_TOKEN, '', found) }];
}

/** An address without a secret hears of nothing: what is not signed is not sent. */
function endpointIssues({ WEBHOOK_URL: url, WEBHOOK_SECRET: secrets }: Values, issues: readonly ConfigIssue[]) {
  const setting = 'WEBHOOK_SECRET';
  if (url === undefined || secrets !== undefined || issues.some((issue) => issue.setting.startsWith(setting)))
    return [];
  return [
    { setting, problem: 'is missing, and WEBHOOK_URL needs it.', hint: `Set it to ${settings[setting].expected}.` },
  ];
}

/** The settings that are required, the second one by listings with an API key, as options. */
const requiredOptions = {
  DISCORD_TOKEN: {
    setting: 'token',
    path: ['token'],
    hint: `Set it to the bot token, or set roles to ['receive'] to receive votes alone. ${unsetHint}`,
  },
  LOOKUP_BASE_URL: {
    setting: 'lookup.baseUrl',
    path: ['lookup', 'baseUrl'],
    hint: `Set it to ${settings.LOOKUP_BASE_URL.expected}. ${unsetHint}`,
  },
};
type RequiredSetting = keyof typeof requiredOptions;

function readAllListings(
  { listings }: ParsedSettings,
  values: Values,
  environment: Environment | null,
  issues: ConfigIssue[],
): ReadListings {
  if (listings !== undefined)
    return listedListings(listings, { nameOf: (index) => `listings[${index}]`, directory: '.' }, values, issues);
  if (environment !== null) return readListings(values, issues);
  if (needsDiscord(rolesOf(values)) && !mayStoreSecrets(values)) {
    const problem = 'is missing, and listings cannot be linked in Discord without settingsKey.';
    const hint =
      'List each server or bot with its secrets, or set settingsKey to the output of `openssl rand -hex 32`.';
    issues.push({ setting: 'listings', problem, hint, path: ['listings'] });
  }
  return { listings: [], sources: [], secretFiles: [] };
}

/** An issue for each required setting that is missing. */
function missingSettings(
  values: Values,
  listings: readonly ListingConfig[],
  issues: readonly ConfigIssue[],
  placeOf: (name: RequiredSetting) => Omit<ConfigIssue, 'problem'>,
): ConfigIssue[] {
  if (!needsDiscord(rolesOf(values))) return [];
  const hasKey = listings.some(({ lookupKey, site }) => lookupKey !== null && site === undefined);
  const required: readonly RequiredSetting[] = ['DISCORD_TOKEN', ...(hasKey ? ['LOOKUP_BASE_URL' as const] : [])];
  return required
    .filter((name) => values[name] === undefined && !issues.some(({ setting }) => setting.startsWith(name)))
    .map((name) => ({ problem: 'is missing.', ...placeOf(name) }));
}

/** The frozen configuration of valid settings. @param environment where warnings and sources of settings come from */
function toConfig({
  environment,
  values,
  read,
  secretFiles,
}: {
  readonly environment: Environment;
  readonly values: Values;
  readonly read: ReadListings;
  readonly secretFiles: readonly SecretFile[];
}): Config {
  const { listings, sources } = read;
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
    postServerCount: values.POST_SERVER_COUNT === 'on',
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
    topggIntegrationSecret: values.TOPGG_INTEGRATION_SECRET ?? null,
    encryption: keySourcesOf(values),
    ownerToken: values.OWNER_TOKEN ?? null,
    webhookPrivateTargets: values.WEBHOOK_PRIVATE_TARGETS === 'on',
    updateCheckUrl: values.UPDATE_CHECK ?? null,
    logLevel: values.LOG_LEVEL ?? 'info',
    logFormat: values.LOG_FORMAT ?? 'auto',
    tracing: exporterOptionsOf(values),
    warnings: configWarnings(environment, [...secretFiles, ...read.secretFiles]),
    secrets: secretsIn(values, listings),
  };
  return deepFreeze(config);
}

/** Where spans are sent; null without a collector. */
function exporterOptionsOf(values: Partial<Values>): ExporterOptions | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_RESOURCE_ATTRIBUTES: resourceAttributes = {} } = values;
  if (endpoint === undefined) return null;
  return {
    endpoint,
    headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    serviceName: values.OTEL_SERVICE_NAME ?? resourceAttributes['service.name'] ?? 'tallyhook',
    resourceAttributes,
    sampler: values.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
    samplerRatio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
  };
}

/** The secrets in headers such as `Authorization: Bearer …`: the whole value, and what follows the scheme. */
function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)]);
}

function secretsIn(values: Values, listings: readonly ListingConfig[]): string[] {
  const listingSecrets = listings.flatMap((listing) => [
    listing.lookupKey,
    listing.site?.key,
    listing.voteAuthorization,
    ...listing.voteSecrets,
    ...listing.premiumSecrets,
    ...webhookEndpoints.in(listing).flatMap(({ secrets }) => secrets),
  ]);
  const passwords = [values.DATABASE_URL, values.CACHE_URL, values.OTEL_EXPORTER_OTLP_ENDPOINT].flatMap((url) =>
    passwordsIn(url ?? ''),
  );
  const { DISCORD_TOKEN, DISCORD_CLIENT_SECRET, OWNER_TOKEN, SETTINGS_KEY, NEW_SETTINGS_KEY } = values;
  const ownSecrets = [
    ...[DISCORD_TOKEN, DISCORD_CLIENT_SECRET, OWNER_TOKEN, SETTINGS_KEY, NEW_SETTINGS_KEY],
    values.TOPGG_INTEGRATION_SECRET,
  ];
  const headers = secretsOfHeaders(values.OTEL_EXPORTER_OTLP_HEADERS ?? {});
  const secrets = [...ownSecrets, ...listingSecrets, ...passwords, ...headers];
  return [...new Set(secrets.filter((secret): secret is string => Boolean(secret)))];
}

/** The password of a URL, both encoded and decoded. PostgreSQL accepts it in the query as well. */
function passwordsIn(url: string): string[] {
  const [, encoded = ''] = /^\w+:\/\/[^:@/]*:(.*)@/s.exec(url) ?? [];
  const inQuery = URL.parse(url)?.searchParams.get('password') ?? '';
  return [encoded, querystring.unescape(encoded), inQuery];
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/**
 * The active configuration with the webhook secrets and API keys of a newer one, for the listings that are in both. A
 * listing that is missing in the newer one remains, without webhook secrets. All other changes need a restart.
 */
export function withRotatedSecrets(active: Config, next: Config): Config {
  const sources = active.base.sources.map((source) => withSecretsOf(source, next.base.sources));
  return {
    ...active,
    listings: toListings(sources, active.base.defaults, []),
    base: { ...active.base, sources },
    // Old secrets remain redacted, since they may still appear in a log line.
    secrets: [...new Set([...active.secrets, ...next.secrets])],
  };
}

function withSecretsOf(source: ListingSource, others: readonly ListingSource[]): ListingSource {
  const { name, kind, lookupKey } = source.listing;
  const next = others.find(({ listing }) => listing.name === name && listing.kind === kind)?.listing;
  const { voteSecrets = [], premiumSecrets = [], voteAuthorization, siteKey = source.listing.siteKey } = next ?? {};
  // Adding or removing a key needs a restart, because it changes which commands are registered.
  const key = lookupKey === undefined ? undefined : (next?.lookupKey ?? lookupKey);
  const secrets = { voteSecrets, premiumSecrets, voteAuthorization, lookupKey: key, siteKey };
  return { ...source, listing: { ...source.listing, ...secrets } };
}

const parts: Readonly<Record<string, (config: Config) => unknown>> = {
  TALLYHOOK_ROLES: ({ roles }) => roles,
  'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID, DISCORD_PUBLIC_KEY': ({ discord }) => discord,
  LOOKUP_BASE_URL: ({ lookup }) => lookup,
  SITE_API_URL: ({ siteApiUrl }) => siteApiUrl,
  POST_SERVER_COUNT: ({ postServerCount }) => postServerCount,
  'listings, channels, rewards, shop': ({ listings }) => listings,
  REMINDERS: ({ reminders }) => reminders,
  'KEEP_BODIES, KEEP_EFFECTS': ({ keep }) => keep,
  'LINKED_DELIVERIES_PER_HOUR, LINKED_MIB_PER_HOUR': ({ linkedQuota }) => linkedQuota,
  DATABASE_URL: ({ databaseUrl }) => databaseUrl,
  CACHE_URL: ({ cacheUrl }) => cacheUrl,
  'HOST, PORT': ({ http }) => http,
  PUBLIC_URL: ({ publicUrl }) => publicUrl,
  DISCORD_CLIENT_SECRET: ({ clientSecret }) => clientSecret,
  TOPGG_INTEGRATION_SECRET: ({ topggIntegrationSecret }) => topggIntegrationSecret,
  'SETTINGS_KEY, NEW_SETTINGS_KEY': ({ encryption: { key, newKey } }) => [key?.id, newKey?.id],
  OWNER_TOKEN: ({ ownerToken }) => ownerToken,
  WEBHOOK_PRIVATE_TARGETS: ({ webhookPrivateTargets }) => webhookPrivateTargets,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOG_FORMAT: ({ logFormat }) => logFormat,
  'OTEL_EXPORTER_OTLP_ENDPOINT and other variables of traces': ({ tracing }) => tracing,
};

/** Changed settings that take effect after a restart. */
export function settingsNeedingRestart(active: Config, next: Config): string[] {
  return Object.keys(parts).filter((name) => !isDeepStrictEqual(parts[name]?.(active), parts[name]?.(next)));
}
