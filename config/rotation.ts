import { isDeepStrictEqual } from 'node:util';
import type { Config, ListingConfig } from './schema.ts';

/**
 * The configuration in force with the secrets of another that was read later: webhook secrets and API keys of the listings that both of
 * them have. A listing that is gone keeps its place, without any webhook secret. Everything else waits for a restart.
 */
export function withRotatedSecrets(inForce: Config, read: Config): Config {
  return {
    ...inForce,
    listings: inForce.listings.map((listing) => withSecretsOf(listing, read.listings.find(isSame(listing)))),
    // What was a secret stays one: it may still turn up somewhere.
    secrets: [...new Set([...inForce.secrets, ...read.secrets])],
  };
}

const isSame =
  ({ name, kind }: ListingConfig) =>
  (other: ListingConfig) =>
    other.name === name && other.kind === kind;

function withSecretsOf(listing: ListingConfig, read: ListingConfig | undefined): ListingConfig {
  const { voteSecrets = [], premiumSecrets = [], voteAuthorization = null } = read ?? {};
  // Whether there is a key at all decides which commands there are.
  const lookupKey = listing.lookupKey === null ? null : (read?.lookupKey ?? listing.lookupKey);
  return { ...listing, voteSecrets, premiumSecrets, voteAuthorization, lookupKey };
}

const slices: Readonly<Record<string, (config: Config) => unknown>> = {
  'DISCORD_TOKEN, DISCORD_API_URL, DISCORD_GUILD_ID': ({ discord }) => discord,
  LOOKUP_BASE_URL: ({ lookup }) => lookup,
  'the listings, their channels and credits': ({ listings }) => listings,
  DATABASE_URL: ({ databaseUrl }) => databaseUrl,
  CACHE_URL: ({ cacheUrl }) => cacheUrl,
  'HOST, PORT': ({ http }) => http,
  OWNER_TOKEN: ({ ownerToken }) => ownerToken,
  LOG_LEVEL: ({ logLevel }) => logLevel,
  LOG_FORMAT: ({ logFormat }) => logFormat,
};

/** The settings that are not as they were read: they wait for a restart. */
export function settingsNeedingRestart(inForce: Config, read: Config): string[] {
  return Object.keys(slices).filter((name) => !isDeepStrictEqual(slices[name]?.(inForce), slices[name]?.(read)));
}
