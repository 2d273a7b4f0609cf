import querystring from 'node:querystring';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import type { SecretFile } from '@tallyhook/platform/secret-files';
import type { ExporterOptions } from '@tallyhook/platform/tracing/exporter-options';
import { toListingBase } from './describe-listings.ts';
import { keySourcesOf } from './encryption.ts';
import type { Environment } from './environment.ts';
import type { ReadListings } from './listings.ts';
import { needsDiscord, rolesOf } from './roles.ts';
import type { Config, ListingConfig } from './schema.ts';
import { settings, type Values } from './settings.ts';
import { configWarnings } from './warnings.ts';

/** The settings that are required, the second one by listings with an API key. */
export type RequiredSetting = 'DISCORD_TOKEN' | 'LOOKUP_BASE_URL';

/**
 * An issue for each required setting that is missing, unless it already has one because its value is invalid.
 * @param describe what the caller calls a setting, and what to do about it
 */
export function missingSettings(
  values: Values,
  listings: readonly ListingConfig[],
  issues: readonly ConfigIssue[],
  describe = describeVariable,
): ConfigIssue[] {
  if (!needsDiscord(rolesOf(values))) return [];
  const hasKey = listings.some(({ lookupKey, site }) => lookupKey !== null && site === undefined);
  const required: readonly RequiredSetting[] = ['DISCORD_TOKEN', ...(hasKey ? ['LOOKUP_BASE_URL' as const] : [])];
  return required
    .filter((name) => values[name] === undefined && !issues.some(({ setting }) => setting.startsWith(name)))
    .map((name) => ({ problem: 'is missing.', ...describe(name) }));
}

function describeVariable(setting: RequiredSetting): Omit<ConfigIssue, 'problem'> {
  return { setting, hint: `Set it to ${settings[setting].expected}.` };
}

/** The frozen configuration of valid settings. @param environment where warnings and sources of settings come from */
export function toConfig({
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
