import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { guildIdsOf } from './communities.ts';
import { keySourcesOf } from './encryption.ts';
import type { ListingSource } from './listing-source.ts';
import { listingsFile } from './listings-file.ts';
import { parseJsonFile } from './parse-json-file.ts';
import { contradictingCredits } from './rewards.ts';
import { needsDiscord, rolesOf } from './roles.ts';
import type { ListingConfig } from './schema.ts';
import type { SecretFile } from './secret-files.ts';
import type { Values } from './settings.ts';
import { readShop } from './shop.ts';
import { sourceIssues, toListings } from './to-listings.ts';

/** Result of {@link readListings}. */
export interface ReadListings {
  readonly listings: readonly ListingConfig[];
  /** The same listings as they are configured. */
  readonly sources: readonly ListingSource[];
  /** Files with codes of a shop. */
  readonly secretFiles: readonly SecretFile[];
}

/**
 * The listings from the file that `TALLYHOOK_CONFIG` names, or else from the variables. Issues are added to `issues`.
 */
export function readListings(values: Values, issues: ConfigIssue[]): ReadListings {
  return values.TALLYHOOK_CONFIG === undefined
    ? listingsFromVariables(values, issues)
    : listingsFromFile(values, values.TALLYHOOK_CONFIG, issues);
}

/**
 * The variables describe one server and one bot. Webhooks of both are received, even if only one of them has an API
 * key.
 */
function listingsFromVariables(values: Values, issues: ConfigIssue[]): ReadListings {
  const isKeyInvalid = issues.some(({ setting }) => setting.startsWith('LOOKUP_') && setting.includes('_KEY'));
  const hasNoKey = values.LOOKUP_SERVER_KEY === undefined && values.LOOKUP_BOT_KEY === undefined;
  if (hasNoKey && !isKeyInvalid && mayHaveCommunities(values)) {
    const { VOTE_WEBHOOK_SECRET, PREMIUM_WEBHOOK_SECRET, VOTE_WEBHOOK_AUTHORIZATION } = values;
    const hasSecrets = VOTE_WEBHOOK_SECRET ?? PREMIUM_WEBHOOK_SECRET ?? VOTE_WEBHOOK_AUTHORIZATION;
    if (hasSecrets === undefined) return { listings: [], sources: [], secretFiles: [] };
  } else if (hasNoKey && !isKeyInvalid && needsDiscord(rolesOf(values))) {
    issues.push({
      setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
      problem: 'are both missing.',
      hint: "Set at least one of them to an API key from the service's dashboard (Edit server → Advanced setup).",
    });
  }
  const server = sourceFromVariables(values, 'server', values.LOOKUP_SERVER_KEY);
  // A receiver needs no key. A vote that names only its voter is then one for the server.
  const isReceiver = hasNoKey && !needsDiscord(rolesOf(values));
  const sources = [
    isReceiver ? { ...server, implied: false } : server,
    sourceFromVariables(values, 'bot', values.LOOKUP_BOT_KEY),
  ] as const;
  const listings = toListings(sources, values, issues);
  const isGuildInvalid = issues.some(({ setting }) => setting.startsWith('DISCORD_GUILD_ID'));
  if (!isGuildInvalid) issues.push(...sourceIssues(sources.slice(0, 1), listings));
  return { listings, sources, secretFiles: [] };
}

/** Whether communities can be, or were, set up in Discord: then the program needs no listing of its own. */
function mayHaveCommunities(values: Values): boolean {
  const { key, newKey, keyFile } = keySourcesOf(values);
  return key !== null || newKey !== null || (keyFile !== null && existsSync(keyFile));
}

function sourceFromVariables(values: Values, kind: 'server' | 'bot', lookupKey: string | undefined): ListingSource {
  return {
    origin: 'environment',
    setting: 'VOTER_ROLE_ID',
    listing: {
      ...{ name: kind, kind, lookupKey },
      voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
      premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
      voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION,
    },
    implied: lookupKey === undefined,
    guildId: values.DISCORD_GUILD_ID ?? null,
    shop: undefined,
  };
}

/** Variables that the file replaces. */
const listingVariables = [
  'LOOKUP_SERVER_KEY',
  'LOOKUP_BOT_KEY',
  'VOTE_WEBHOOK_SECRET',
  'PREMIUM_WEBHOOK_SECRET',
  'VOTE_WEBHOOK_AUTHORIZATION',
] as const;

function listingsFromFile(values: Values, path: string, issues: ConfigIssue[]): ReadListings {
  for (const setting of listingVariables) {
    if (values[setting] === undefined) continue;
    const hint = 'Move it to its listing in the file, and remove the variable.';
    issues.push({ setting, problem: 'cannot be combined with TALLYHOOK_CONFIG.', hint });
  }
  const formatHint = 'Its schema: `tallyhook config --schema`.';
  const file = parseJsonFile({ path, setting: 'TALLYHOOK_CONFIG', formatHint }, listingsFile, issues);
  const fileListings = file?.listings ?? [];
  const hasKey = fileListings.some(({ lookupKey }) => lookupKey !== undefined);
  if (fileListings.length > 0 && !hasKey && needsDiscord(rolesOf(values))) {
    issues.push({
      setting: 'TALLYHOOK_CONFIG',
      problem: 'has no listing with a lookupKey.',
      hint: 'Add the API key of at least one listing.',
    });
  }
  const secretFiles: SecretFile[] = [];
  const guildIds = guildIdsOf(fileListings, values.DISCORD_GUILD_ID);
  const sources = fileListings.map((listing, index): ListingSource => {
    const setting = `TALLYHOOK_CONFIG listings.${index}`;
    const shopContext = { setting: `${setting}.shop`, directory: dirname(path), issues, secretFiles };
    const shop = listing.shop && readShop(listing.shop, shopContext);
    return { origin: 'file', setting, listing, implied: false, guildId: guildIds[index] ?? null, shop };
  });
  const listings = toListings(sources, values, issues);
  issues.push(
    ...fileListings.flatMap((listing, index) => contradictingCredits(listing, sources[index]?.setting ?? '')),
    ...sourceIssues(sources, listings),
  );
  return { listings, sources, secretFiles };
}
