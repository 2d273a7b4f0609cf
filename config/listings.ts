import { dirname } from 'node:path';
import { announcementsOf } from './announcements.ts';
import { communitiesOf, guildIdsOf, plainCommunity } from './communities.ts';
import { type FileListing, listingsFile } from './listings-file.ts';
import { parseJsonFile } from './parse-json-file.ts';
import { contradictingCredits, rewardsOf } from './rewards.ts';
import { roleIssues } from './role-issues.ts';
import { needsDiscord, rolesOf } from './roles.ts';
import type { ConfigIssue, ListingConfig } from './schema.ts';
import type { SecretFile } from './secret-files.ts';
import type { Values } from './settings.ts';
import { readShop } from './shop.ts';

/** Result of {@link readListings}. */
export interface ReadListings {
  readonly listings: readonly ListingConfig[];
  /** The same listings as they are in the file; empty if they are from the variables. */
  readonly fileListings: readonly FileListing[];
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
  const hasKey = values.LOOKUP_SERVER_KEY !== undefined || values.LOOKUP_BOT_KEY !== undefined;
  if (!hasKey && !isKeyInvalid && needsDiscord(rolesOf(values))) {
    issues.push({
      setting: 'LOOKUP_SERVER_KEY / LOOKUP_BOT_KEY',
      problem: 'are both missing.',
      hint: "Set at least one of them to an API key from the service's dashboard (Edit server → Advanced setup).",
    });
  }
  const guildId = values.DISCORD_GUILD_ID ?? null;
  const { streak, party, ...community } = plainCommunity;
  const rewards = rewardsOf(values, {}, { guildId, streak, party });
  const shared = {
    id: null,
    guildId,
    ...community,
    rewards,
    announcements: announcementsOf(),
    voteSecrets: values.VOTE_WEBHOOK_SECRET ?? [],
    premiumSecrets: values.PREMIUM_WEBHOOK_SECRET ?? [],
    voteAuthorization: values.VOTE_WEBHOOK_AUTHORIZATION ?? null,
    ...channelsOf(values, {}),
  };
  const withKey = (key: string | undefined) => ({ lookupKey: key ?? null, implied: key === undefined });
  const server = {
    ...shared,
    name: 'server',
    kind: 'server',
    ...withKey(values.LOOKUP_SERVER_KEY),
    // A receiver needs no key. A vote that names only its voter is then one for the server.
    ...(hasKey ? {} : { implied: false }),
  } as const;
  const bot = { ...shared, name: 'bot', kind: 'bot', ...withKey(values.LOOKUP_BOT_KEY) } as const;
  const isGuildInvalid = issues.some(({ setting }) => setting.startsWith('DISCORD_GUILD_ID'));
  if (!isGuildInvalid) issues.push(...roleIssues(server, 'VOTER_ROLE_ID'));
  return { listings: [server, bot], fileListings: [], secretFiles: [] };
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
  const guildListings = fileListings.map((file, index) => {
    const setting = `TALLYHOOK_CONFIG listings.${index}`;
    const shopContext = { setting: `${setting}.shop`, directory: dirname(path), issues, secretFiles };
    const shop = file.shop && readShop(file.shop, shopContext);
    return { file, setting, guildId: guildIds[index] ?? null, shop };
  });
  const communities = communitiesOf(guildListings, issues);
  const listings = guildListings.map(({ file, setting, guildId, shop }, index) => {
    const { streak, party, ...community } = communities[index] ?? plainCommunity;
    const rewards = rewardsOf(values, file, { guildId, streak, party });
    const listing: ListingConfig = {
      name: file.name,
      kind: file.kind,
      id: file.id ?? null,
      implied: false,
      lookupKey: file.lookupKey ?? null,
      voteSecrets: file.voteSecrets,
      premiumSecrets: file.premiumSecrets,
      voteAuthorization: file.voteAuthorization ?? null,
      ...channelsOf(values, file),
      guildId,
      ...community,
      rewards,
      announcements: announcementsOf(file.announcements),
    };
    // A shop of another listing is checked there.
    const own = { ...listing, shop: shop ?? [] };
    issues.push(...contradictingCredits(file, setting), ...roleIssues(own, setting));
    return listing;
  });
  return { listings, fileListings, secretFiles };
}

function channelsOf(values: Values, listing: Partial<FileListing>) {
  const announceChannelId = listing.announceChannelId ?? values.ANNOUNCE_CHANNEL_ID ?? null;
  const premiumChannelId = listing.premiumChannelId ?? values.PREMIUM_CHANNEL_ID ?? announceChannelId;
  return { announceChannelId, premiumChannelId };
}
