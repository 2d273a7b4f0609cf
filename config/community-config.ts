import { parseLink } from '../src/core/settings/listing-settings.ts';
import { rule } from '../src/core/settings/rules.ts';
import { valueAt, withValuesAt } from '../src/core/settings/setting-spec.ts';
import { linkPath } from '../src/core/settings/stored-settings.ts';
import { joinParts, parseSetting, type ValueProblem } from '../src/features/settings.ts';
import { withSharedSettings } from './communities.ts';
import type { ListingBase, ListingDefaults, ListingSource } from './listing-source.ts';
import type { ListingConfig } from './schema.ts';
import { headerSecretProblem } from './sites.ts';
import { roleIssues, toListing } from './to-listings.ts';

/** A stored setting. A secret is decrypted: an API key, or a list of texts. */
export interface OpenedSetting {
  /** Empty for the community. */
  readonly listing: string;
  readonly path: string;
  /** As in the file. */
  readonly value: unknown;
}

/** A stored setting that is not in effect. Without secrets. */
export interface CommunityIssue extends ValueProblem {
  readonly listing: string | null;
  readonly path: string;
  readonly code: 'invalid' | 'everyone_role';
  readonly hint: string;
}

export interface ConfiguredListing {
  readonly listing: ListingConfig;
  readonly source: ListingSource;
}

/** A community with its stored settings. */
export interface CommunityConfig {
  readonly listings: readonly ListingConfig[];
  /** The same listings with what is stated of them, also by others of the guild. */
  readonly configured: readonly ConfiguredListing[];
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
  const shared = joinParts(values.get('') ?? new Map<string, unknown>(), (path) =>
    ownSources.map(({ listing }) => valueAt(listing, path)).find((value) => value !== undefined),
  );
  const stated = [...ownSources, ...linkedSources(base, guildId, settings)].map((source) =>
    withSettings(source, new Map([...shared, ...(values.get(source.listing.name) ?? [])])),
  );
  const linkedDefaults = defaultsForLinked(base.defaults, guildId);
  const configured = withSharedSettings(stated, []).map((source) => {
    return { source, listing: toListing(source, source.origin === 'setup' ? linkedDefaults : base.defaults) };
  });
  const listings = configured.map(({ listing }) => listing);
  for (const listing of listings) {
    const secretProblem = headerSecretProblem(listing);
    if (secretProblem !== null)
      issues.push({
        listing: listing.name,
        path: 'voteSecrets',
        code: 'invalid',
        rule: rule('ascii'),
        ...secretProblem,
      });
    for (const { setting: path, problem, hint } of roleIssues(listing, 'rewards')) {
      issues.push({ listing: listing.name, path, code: 'everyone_role', rule: rule('everyone'), problem, hint });
    }
  }
  return { listings, configured, issues };
}

/** The parsed values by listing and path. */
function parseAll(settings: readonly OpenedSetting[], issues: CommunityIssue[]): Map<string, Map<string, unknown>> {
  const values = new Map<string, Map<string, unknown>>();
  for (const { listing, path, value } of settings) {
    const parsed = parseSetting(listing, path, value);
    if (!parsed.valid) {
      const issue = { listing: listing || null, path, code: 'invalid', hint: 'Change it with /setup.' } as const;
      issues.push(...parsed.problems.map((problem) => ({ ...issue, ...problem })));
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
      const { kind, id, site, custom } = link;
      const listing = { name, kind, id: id ?? undefined, site, custom, voteSecrets: [], premiumSecrets: [] };
      return [{ origin: 'setup', setting: name, listing, implied: false, guildId } as const];
    });
}

/** A listing with a key in Discord is configured, even if it was only implied by the variables. */
function withSettings(source: ListingSource, values: ReadonlyMap<string, unknown>): ListingSource {
  const implied = source.implied && !values.has('lookupKey') && !values.has('voteSecrets');
  const settings = [...values].filter(([path]) => path !== linkPath);
  return { ...source, implied, listing: withValuesAt(source.listing, settings) };
}

function defaultsForLinked(defaults: ListingDefaults, guildId: string | null): ListingDefaults {
  if (defaults.DISCORD_GUILD_ID === guildId) return defaults;
  const others = Object.entries(defaults).filter(([name]) => !guildVariables.some((each) => each === name));
  return Object.fromEntries(others);
}
