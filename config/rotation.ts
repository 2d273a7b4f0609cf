import { isDeepStrictEqual } from 'node:util';
import type { Config, ListingConfig } from './schema.ts';

/**
 * The active configuration with the webhook secrets and API keys of a newer one, for the listings that are in both. A
 * listing that is missing in the newer one remains, without webhook secrets. All other changes need a restart.
 */
export function withRotatedSecrets(active: Config, next: Config): Config {
  return {
    ...active,
    listings: active.listings.map((listing) => withSecretsOf(listing, next.listings.find(isSameListing(listing)))),
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
  return { ...listing, voteSecrets, premiumSecrets, voteAuthorization, lookupKey };
}

/** Parts of the configuration by the settings that they are read from. */
const parts: Readonly<Record<string, (config: Config) => unknown>> = {
  TALLYHOOK_ROLES: ({ roles }) => roles,
  'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID, DISCORD_PUBLIC_KEY': ({ discord }) => discord,
  LOOKUP_BASE_URL: ({ lookup }) => lookup,
  'listings, channels, rewards, shop': ({ listings }) => listings,
  REMINDERS: ({ reminders }) => reminders,
  DATABASE_URL: ({ databaseUrl }) => databaseUrl,
  CACHE_URL: ({ cacheUrl }) => cacheUrl,
  'HOST, PORT': ({ http }) => http,
  OWNER_TOKEN: ({ ownerToken }) => ownerToken,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOG_FORMAT: ({ logFormat }) => logFormat,
};

/** Changed settings that take effect after a restart. */
export function settingsNeedingRestart(active: Config, next: Config): string[] {
  return Object.keys(parts).filter((name) => !isDeepStrictEqual(parts[name]?.(active), parts[name]?.(next)));
}
