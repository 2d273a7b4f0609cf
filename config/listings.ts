import { readFileSync } from 'node:fs';
import { hour } from '../src/platform/durations.ts';
import { type FileListing, listingsFile } from './listings-file.ts';
import type { ConfigIssue, ListingConfig } from './schema.ts';
import type { Values } from './settings.ts';

/**
 * The listings from the file that `TALLYHOOK_CONFIG` names, or else from the variables. Issues are added to `issues`.
 */
export function readListings(values: Values, issues: ConfigIssue[]): ListingConfig[] {
  return values.TALLYHOOK_CONFIG === undefined
    ? listingsFromVariables(values, issues)
    : listingsFromFile(values, values.TALLYHOOK_CONFIG, issues);
}

/**
 * The variables describe one server and one bot. Webhooks of both are received, even if only one of them has an API
 * key.
 */
function listingsFromVariables(values: Values, issues: ConfigIssue[]): ListingConfig[] {
  const isKeyInvalid = issues.some(({ setting }) => setting.startsWith('LOOKUP_') && setting.includes('_KEY'));
  if (values.LOOKUP_SERVER_KEY === undefined && values.LOOKUP_BOT_KEY === undefined && !isKeyInvalid) {
    issues.push({
      setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
      problem: 'are both missing.',
      hint: "Set at least one of them to an API key from the service's dashboard (Edit server → Advanced setup).",
    });
  }
  const shared = {
    id: null,
    voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
    premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
    voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION ?? null,
    ...channelsOf(values, {}),
    rules: rewardRulesOf(values, {}),
  };
  const withKey = (key: string | undefined) => ({ lookupKey: key ?? null, implied: key === undefined });
  return [
    { ...shared, name: 'server', kind: 'server', ...withKey(values.LOOKUP_SERVER_KEY) },
    { ...shared, name: 'bot', kind: 'bot', ...withKey(values.LOOKUP_BOT_KEY) },
  ];
}

/** Variables that the file replaces. */
const listingVariables = [
  'LOOKUP_SERVER_KEY',
  'LOOKUP_BOT_KEY',
  'VOTE_WEBHOOK_SECRET',
  'PREMIUM_WEBHOOK_SECRET',
  'VOTE_WEBHOOK_AUTHORIZATION',
] as const;

function listingsFromFile(values: Values, path: string, issues: ConfigIssue[]): ListingConfig[] {
  for (const setting of listingVariables) {
    if (values[setting] === undefined) continue;
    const hint = 'Move it to its listing in the file, and remove the variable.';
    issues.push({ setting, problem: 'cannot be combined with TALLYHOOK_CONFIG.', hint });
  }
  const listings = parseListingsFile(path, issues);
  if (listings.length > 0 && listings.every(({ lookupKey }) => lookupKey === undefined)) {
    issues.push({
      setting: 'TALLYHOOK_CONFIG',
      problem: 'has no listing with a lookupKey.',
      hint: 'Add the API key of at least one listing.',
    });
  }
  return listings.map((listing) => ({
    name: listing.name,
    kind: listing.kind,
    id: listing.id ?? null,
    implied: false,
    lookupKey: listing.lookupKey ?? null,
    voteSecrets: listing.voteSecrets,
    premiumSecrets: listing.premiumSecrets,
    voteAuthorization: listing.voteAuthorization ?? null,
    ...channelsOf(values, listing),
    rules: rewardRulesOf(values, listing),
  }));
}

function parseListingsFile(path: string, issues: ConfigIssue[]): FileListing[] {
  const setting = 'TALLYHOOK_CONFIG';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The message of a JSON error quotes the file, which contains secrets.
    const problem = `points to ${path}, which ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}.`;
    issues.push({ setting, problem, hint: 'Correct the path or the file. Its schema: `tallyhook config --schema`.' });
    return [];
  }
  const result = listingsFile.safeParse(json);
  if (result.success) return result.data.listings;
  for (const { path, message } of result.error.issues) {
    issues.push({
      setting: `TALLYHOOK_CONFIG ${path.join('.')}`.trim(),
      problem: `is invalid: ${message}.`,
      hint: 'Correct the file. Its schema: `tallyhook config --schema`.',
    });
  }
  return [];
}

function channelsOf(values: Values, listing: Partial<FileListing>) {
  const announceChannelId = listing.announceChannelId ?? values.ANNOUNCE_CHANNEL_ID ?? null;
  const premiumChannelId = listing.premiumChannelId ?? values.PREMIUM_CHANNEL_ID ?? announceChannelId;
  return { announceChannelId, premiumChannelId };
}

function rewardRulesOf(values: Values, listing: Partial<FileListing>): ListingConfig['rules'] {
  return {
    perVote: listing.creditsPerVote ?? values.CREDITS_PER_VOTE ?? 0,
    perPremium: listing.creditsPerPremium ?? values.CREDITS_PER_PREMIUM ?? 0,
    whenDenied: listing.creditsWhenDenied ?? values.CREDITS_WHEN_DENIED ?? 0,
    cooldownMs: Math.round((listing.cooldownHours ?? values.VOTE_COOLDOWN_HOURS ?? 0) * hour),
  };
}
