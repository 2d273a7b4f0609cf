import { dirname } from 'node:path';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import type { SecretFile } from '@tallyhook/platform/secret-files';
import { type SettingSpec, valueAt, withValuesAt } from '../src/core/settings/setting-spec.ts';
import { settings } from '../src/features/settings.ts';
import { guildIdsOf } from './communities.ts';
import { mayStoreSecrets } from './encryption.ts';
import type { ListingSource } from './listing-source.ts';
import { type FileListing, listingsFile } from './listings-file.ts';
import { parseJsonFile } from './parse-json-file.ts';
import { needsDiscord, rolesOf } from './roles.ts';
import type { ListingConfig } from './schema.ts';
import type { SettingName, Values } from './settings.ts';
import { siteIssues } from './sites.ts';
import { sourceIssues, toListings } from './to-listings.ts';

/** Result of {@link readListings}. */
export interface ReadListings {
  readonly listings: readonly ListingConfig[];
  /** The same listings as they are configured. */
  readonly sources: readonly ListingSource[];
  /** Other files that they name. */
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
 * key. Without API keys and webhook secrets there are none: they are linked with `/setup`.
 */
function listingsFromVariables(values: Values, issues: ConfigIssue[]): ReadListings {
  const isInvalid = (...names: SettingName[]) =>
    issues.some(({ setting }) => names.some((name) => setting === name || setting === `${name}_FILE`));
  const hasNoKey = values.LOOKUP_SERVER_KEY === undefined && values.LOOKUP_BOT_KEY === undefined;
  if (hasNoKey && !isInvalid('LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY')) {
    // Where secrets can be stored, listings are linked in Discord, and the operator need not have any.
    const canLink = mayStoreSecrets(values) || isInvalid('DATABASE_URL', 'SETTINGS_KEY', 'NEW_SETTINGS_KEY');
    const hasSecrets = webhookVariables.some((name) => values[name] !== undefined);
    if (canLink && !hasSecrets) return { listings: [], sources: [], secretFiles: [] };
    if (!canLink && !hasSecrets && needsDiscord(rolesOf(values))) {
      issues.push({
        setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
        problem: 'are both missing, and listings cannot be linked in Discord without SETTINGS_KEY.',
        hint:
          'Set SETTINGS_KEY to the output of `openssl rand -hex 32`, in every process the same, and link your listing ' +
          "with /setup. Or set one of the two to the API key from the service's dashboard (Edit server → Advanced setup).",
      });
    }
  }
  const server = sourceFromVariables(values, 'server', values.LOOKUP_SERVER_KEY);
  // Without a key, a vote that names only its voter is one for the server.
  const sources = [
    hasNoKey ? { ...server, implied: false } : server,
    sourceFromVariables(values, 'bot', values.LOOKUP_BOT_KEY),
  ] as const;
  const listings = toListings(sources, values, issues);
  const isGuildInvalid = issues.some(({ setting }) => setting.startsWith('DISCORD_GUILD_ID'));
  if (!isGuildInvalid) issues.push(...sourceIssues(sources.slice(0, 1), values));
  return { listings, sources, secretFiles: [] };
}

function sourceFromVariables(values: Values, kind: 'server' | 'bot', lookupKey: string | undefined): ListingSource {
  return {
    origin: 'environment',
    setting: 'VOTER_ROLE_ID',
    listing: {
      name: kind,
      kind,
      lookupKey,
      voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
      premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
      voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION,
    },
    implied: lookupKey === undefined,
    guildId: values.DISCORD_GUILD_ID ?? null,
  };
}

const webhookVariables = ['VOTE_WEBHOOK_SECRET', 'PREMIUM_WEBHOOK_SECRET', 'VOTE_WEBHOOK_AUTHORIZATION'] as const;
/** Variables that the file replaces. */
const listingVariables = ['LOOKUP_SERVER_KEY', 'LOOKUP_BOT_KEY', ...webhookVariables] as const;

function listingsFromFile(values: Values, path: string, issues: ConfigIssue[]): ReadListings {
  for (const setting of listingVariables) {
    if (values[setting] === undefined) continue;
    const hint = 'Move it to its listing in the file, and remove the variable.';
    issues.push({ setting, problem: 'cannot be combined with TALLYHOOK_CONFIG.', hint });
  }
  const formatHint = 'Its schema: `tallyhook config --schema`.';
  const file = parseJsonFile({ path, setting: 'TALLYHOOK_CONFIG', formatHint }, listingsFile, issues);
  const nameOf = (index: number) => `TALLYHOOK_CONFIG listings.${index}`;
  const place = { setting: 'TALLYHOOK_CONFIG', nameOf, directory: dirname(path) };
  return listedListings(file?.listings ?? [], place, values, issues);
}

/** Where listings are written: the setting with all, the name of one by its index, and where paths begin. */
interface ListingsPlace {
  readonly setting: string;
  readonly nameOf: (index: number) => string;
  readonly directory: string;
}

/** The listings of a file or of options. Issues are added to `issues`. */
export function listedListings(
  listed: readonly FileListing[],
  place: ListingsPlace,
  values: Values,
  issues: ConfigIssue[],
): ReadListings {
  const secretFiles: SecretFile[] = [];
  const found = { directory: place.directory, issues, secretFiles };
  const guildIds = guildIdsOf(listed, values.DISCORD_GUILD_ID);
  const sources = listed.map((listing, index): ListingSource => {
    const setting = place.nameOf(index);
    const completed = settings.flatMap(({ path, fromFile }: SettingSpec) => {
      const value = valueAt(listing, path);
      if (value === undefined || fromFile === undefined) return [];
      return [[path, fromFile(value, { ...found, setting: `${setting}.${path}` })] as const];
    });
    const stated = withValuesAt(listing, completed);
    return { origin: 'file', setting, listing: stated, implied: false, guildId: guildIds[index] ?? null };
  });
  const listings = toListings(sources, values, issues);
  issues.push(
    ...listed.flatMap((listing, index) => siteIssues(listing, sources[index]?.setting ?? '')),
    ...sourceIssues(sources, values),
  );
  return { listings, sources, secretFiles };
}
