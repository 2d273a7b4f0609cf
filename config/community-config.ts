import type { ShopItem } from '../src/core/rewards/shop-item.ts';
import { codesPath, itemOfCodes, linkPath } from '../src/core/settings/setting-paths.ts';
import { type Community, communitiesOf, plainCommunity } from './communities.ts';
import type { ListingDefaults } from './listing-defaults.ts';
import type { ListingBase, ListingSource, StatedListing } from './listing-source.ts';
import { roleIssues } from './role-issues.ts';
import type { ListingConfig } from './schema.ts';
import { parseLink, parseSetting } from './setting-schemas.ts';
import type { StoredShopItem } from './shop-file.ts';
import { toListing } from './to-listings.ts';

/** A stored setting. A secret is decrypted: an API key, secrets or codes. */
export interface OpenedSetting {
  /** Empty for the community. */
  readonly listing: string;
  readonly path: string;
  /** As in the file. */
  readonly value: unknown;
}

/** A stored setting that is not in effect. Without secrets. */
export interface CommunityIssue {
  readonly listing: string | null;
  readonly path: string;
  readonly code: 'invalid' | 'everyone_role';
  /** Rest of a sentence that begins with the path. */
  readonly problem: string;
  readonly hint: string;
}

/** A community with its stored settings. */
export interface CommunityConfig {
  readonly listings: readonly ListingConfig[];
  /** Of each listing. */
  readonly sources: readonly ListingSource[];
  readonly issues: readonly CommunityIssue[];
}

/** Variables with ids of one guild, which do not apply to listings of others. */
const guildVariables = ['ANNOUNCE_CHANNEL_ID', 'PREMIUM_CHANNEL_ID', 'VOTER_ROLE_ID', 'DISCORD_GUILD_ID'] as const;

/**
 * The listings of a guild: those of the operator and those linked in Discord, with the settings that `/setup` stored. A
 * setting that is not valid is left out and reported.
 */
export function communityConfig(
  base: ListingBase,
  guildId: string | null,
  settings: readonly OpenedSetting[],
): CommunityConfig {
  const issues: CommunityIssue[] = [];
  const values = parseAll(settings, issues);
  const ownSources = base.sources.filter((source) => source.guildId === guildId);
  const sources = [...ownSources, ...linkedSources(base, guildId, settings)].map((source) =>
    withSettings(source, values.get(source.listing.name)),
  );
  const community = {
    ...(communitiesOf(sources, [])[0] ?? plainCommunity),
    ...communityValues(values.get(''), ownSources),
  };
  const linkedDefaults = defaultsForLinked(base.defaults, guildId);
  const listings = sources.map((source) =>
    toListing(source, community, source.origin === 'setup' ? linkedDefaults : base.defaults),
  );
  for (const listing of listings) {
    for (const { setting: path, problem, hint } of roleIssues(listing, 'rewards')) {
      issues.push({ listing: listing.name, path, code: 'everyone_role', problem, hint });
    }
  }
  return { listings, sources, issues };
}

/** The parsed values by listing and path. */
function parseAll(settings: readonly OpenedSetting[], issues: CommunityIssue[]): Map<string, Map<string, unknown>> {
  const values = new Map<string, Map<string, unknown>>();
  for (const { listing, path, value } of settings) {
    const parsed = parseSetting(listing, path, value);
    if (!parsed.valid) {
      const issue = { listing: listing || null, path, code: 'invalid', hint: 'Change it with /setup.' } as const;
      issues.push(...parsed.problems.map((problem) => ({ ...issue, problem })));
      continue;
    }
    const ofListing = values.get(listing) ?? new Map<string, unknown>();
    values.set(listing, ofListing.set(path, parsed.value));
  }
  return values;
}

/** Names of the operator's listings take precedence. */
function linkedSources(base: ListingBase, guildId: string | null, settings: readonly OpenedSetting[]): ListingSource[] {
  return settings
    .filter(({ path, listing }) => path === linkPath && base.sources.every((each) => each.listing.name !== listing))
    .flatMap(({ listing: name, value }) => {
      const link = parseLink(value);
      if (link === null) return [];
      const listing = { name, kind: link.kind, id: link.id ?? undefined, voteSecrets: [], premiumSecrets: [] };
      return [{ origin: 'setup', setting: name, listing, implied: false, guildId, shop: undefined } as const];
    });
}

/** A listing with a key in Discord is configured, even if it was only implied by the variables. */
function withSettings(source: ListingSource, values: ReadonlyMap<string, unknown> | undefined): ListingSource {
  if (values === undefined) return source;
  const stated: Record<string, unknown> = { ...source.listing };
  for (const [path, value] of values) {
    const [top = '', name] = path.split('.');
    if (path === linkPath) continue;
    if (name === undefined) stated[top] = value;
    else stated[top] = { ...(stated[top] as object | undefined), [name]: value };
  }
  const implied = source.implied && !values.has('lookupKey') && !values.has('voteSecrets');
  // Each value was parsed by the schema of its path.
  return { ...source, implied, listing: stated as StatedListing };
}

function communityValues(
  values: ReadonlyMap<string, unknown> | undefined,
  ownSources: readonly ListingSource[],
): Partial<Community> {
  if (values === undefined) return {};
  const names = { timeZone: 'timeZone', ownerChannelId: 'ownerChannelId', streak: 'rewards.streak' } as const;
  const stated = Object.entries({ ...names, party: 'rewards.party' })
    .filter(([, path]) => values.has(path))
    .map(([name, path]) => [name, values.get(path)]);
  const items = values.get('shop') as readonly StoredShopItem[] | undefined;
  const configured = ownSources.find(({ shop }) => shop !== undefined)?.shop ?? [];
  const codesOf = (id: string) =>
    (values.get(codesPath(id)) as string[] | undefined) ?? configured.find((item) => item.id === id)?.codes ?? [];
  const shop = items?.map((item) => toShopItem(item, codesOf));
  return { ...Object.fromEntries(stated), ...(shop && { shop }) };
}

/** An item whose codes are missing is sold out. */
function toShopItem(item: StoredShopItem, codesOf: (id: string) => readonly string[]): ShopItem {
  const { id, name, price, role, for: forMs, codeCount, manual = false, stock, needsRole } = item;
  return {
    ...{ id, name, price, manual },
    role: role ?? null,
    forMs: forMs ?? null,
    codes: codeCount === undefined ? null : codesOf(id),
    stock: stock ?? null,
    needsRole: needsRole ?? null,
  };
}

function defaultsForLinked(defaults: ListingDefaults, guildId: string | null): ListingDefaults {
  if (defaults.DISCORD_GUILD_ID === guildId) return defaults;
  const others = Object.entries(defaults).filter(([name]) => !guildVariables.some((each) => each === name));
  return Object.fromEntries(others);
}

/** Whether a stored path is a secret. */
export function isSecretPath(path: string): boolean {
  return ['lookupKey', 'voteSecrets', 'premiumSecrets'].includes(path) || itemOfCodes(path) !== null;
}
