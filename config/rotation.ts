import { isDeepStrictEqual } from 'node:util';
import type { Config, ListingConfig, ListingSource } from './schema.ts';

/**
 * The active configuration with the webhook secrets and API keys of a newer one, for the listings that are in both. A
 * listing that is missing in the newer one remains, without webhook secrets. All other changes need a restart.
 */
export function withRotatedSecrets(active: Config, next: Config): Config {
  return {
    ...active,
    listings: active.listings.map((listing) => withSecretsOf(listing, next.listings.find(isSameListing(listing)))),
    base: {
      ...active.base,
      sources: active.base.sources.map((source) => withSecretsOfSource(source, next.base.sources)),
    },
    // Old secrets remain redacted, since they may still appear in a log line.
    secrets: [...new Set([...active.secrets, ...next.secrets])],
  };
}

const isSameListing =
  ({ name, kind }: ListingConfig) =>
  (other: ListingConfig) =>
    other.name === name && other.kind === kind;

function withSecretsOf(listing: ListingConfig, next: ListingConfig | undefined): ListingConfig {
  const { voteSecrets = [], premiumSecrets = [], voteAuthorization = null } = next ?? {};
  // Adding or removing a key needs a restart, because it changes which commands are registered.
  const lookupKey = listing.lookupKey === null ? null : (next?.lookupKey ?? listing.lookupKey);
  const site = listing.site && { ...listing.site, key: next?.site?.key ?? listing.site.key };
  return { ...listing, voteSecrets, premiumSecrets, voteAuthorization, lookupKey, ...(site && { site }) };
}

/** The same for the listing as it is configured. */
function withSecretsOfSource(source: ListingSource, others: readonly ListingSource[]): ListingSource {
  const { name, kind, lookupKey } = source.listing;
  const next = others.find(({ listing }) => listing.name === name && listing.kind === kind)?.listing;
  const { voteSecrets = [], premiumSecrets = [], voteAuthorization, siteKey = source.listing.siteKey } = next ?? {};
  const key = lookupKey === undefined ? undefined : (next?.lookupKey ?? lookupKey);
  const secrets = { voteSecrets, premiumSecrets, voteAuthorization, lookupKey: key, siteKey };
  return { ...source, listing: { ...source.listing, ...secrets } };
}

/** Parts of the configuration by the settings that they are read from. */
const parts: Readonly<Record<string, (config: Config) => unknown>> = {
  TALLYHOOK_ROLES: ({ roles }) => roles,
  'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID, DISCORD_PUBLIC_KEY': ({ discord }) => discord,
  LOOKUP_BASE_URL: ({ lookup }) => lookup,
  SITE_API_URL: ({ siteApiUrl }) => siteApiUrl,
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
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOG_FORMAT: ({ logFormat }) => logFormat,
  'OTEL_EXPORTER_OTLP_ENDPOINT and other variables of traces': ({ tracing }) => tracing,
};

/** Changed settings that take effect after a restart. */
export function settingsNeedingRestart(active: Config, next: Config): string[] {
  return Object.keys(parts).filter((name) => !isDeepStrictEqual(parts[name]?.(active), parts[name]?.(next)));
}
