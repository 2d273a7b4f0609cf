import { parseJson } from '@tallyhook/platform/json';
import { valuesOfListing } from '../../../config/describe.ts';
import { type CommunityIssue, type ConfiguredListing, communityConfig } from '../../../config/listings.ts';
import type { ListingBase, ListingConfig } from '../../../config/schema.ts';
import { rule } from '../../core/settings/rules.ts';
import type { ChangedValue, StoredChange, StoredValue } from '../../core/settings/stored-settings.ts';
import { findSite } from '../../webhook/sites/site-settings.ts';
import { communityPaths, listingPaths } from '../settings.ts';
import type {
  ChangedSetting,
  CommunitySettings,
  EffectiveValue,
  ListingSettings,
  SettingIssue,
  SettingsChange,
  WebhookAddresses,
} from './community.ts';
import type { OpenedSettings, UnreadableSecret } from './opened-settings.ts';

export interface DescribedCommunity {
  readonly guildId: string;
  readonly version: number;
  readonly opened: OpenedSettings;
  readonly latestChange: StoredChange | null;
  readonly canStoreSecrets: boolean;
  readonly publicUrl: string | null;
}

/** The effective settings of a community, without secrets. */
export function describeCommunity(base: ListingBase, described: DescribedCommunity): CommunitySettings {
  const { guildId, version, opened, latestChange, canStoreSecrets, publicUrl } = described;
  const config = communityConfig(base, guildId, opened.settings);
  const [first] = config.configured.map((configured) => effectiveOf(base, configured, opened));
  const empty = (path: string): EffectiveValue => {
    const stored = opened.settings.find((each) => each.listing === '' && each.path === path);
    return stored === undefined ? { value: null, source: 'default' } : { value: stored.value, source: 'setup' };
  };
  return {
    guildId,
    version,
    canStoreSecrets,
    listings: config.configured.map((configured) => describeListing(base, configured, opened, publicUrl)),
    values: pick(communityPaths, (path) => first?.[path] ?? empty(path)),
    latestChange: latestChange && toSettingsChange(latestChange),
    issues: [...opened.unreadable.map(toUnreadableIssue), ...config.issues.map(toIssue)],
  };
}

/** Without `PUBLIC_URL` only the path. */
export function listingAddress(name: string, publicUrl: string | null): string {
  return `${publicUrl ?? ''}/webhooks/${name}`;
}

/** Without `PUBLIC_URL` only the paths. */
export function webhookAddresses(
  { name, site }: Pick<ListingConfig, 'name' | 'site'>,
  publicUrl: string | null,
): WebhookAddresses {
  const address = listingAddress(name, publicUrl);
  if (site !== undefined) return { vote: address, premium: null };
  return { vote: `${address}/vote`, premium: `${address}/premium` };
}

/** For `/setup`, where a hint to use it would say nothing. */
export function toIssue(issue: CommunityIssue): SettingIssue {
  return { ...issue, hint: issue.code === 'invalid' ? null : issue.hint };
}

/** A secret has the number of secrets as its value. */
export function toSettingsChange({ id, at, authorId, undoes, undoneBy, changes }: StoredChange): SettingsChange {
  return { id, at, authorId, undoes, undoneBy, changes: changes.map(toChangedSetting) };
}

function toChangedSetting({ listing, path, before, after }: ChangedValue): ChangedSetting {
  const isSecret = [before, after].some((each) => (each?.sealed ?? null) !== null);
  return { listing: listing || null, path, isSecret, before: shownValue(before), after: shownValue(after) };
}

function shownValue(stored: StoredValue | null): unknown {
  return stored === null ? undefined : parseJson(stored.value);
}

function describeListing(
  base: ListingBase,
  configured: ConfiguredListing,
  opened: OpenedSettings,
  publicUrl: string | null,
): ListingSettings {
  const { listing, source } = configured;
  const values = effectiveOf(base, configured, opened);
  const { rewards, announcements, timeZone } = listing;
  return {
    name: listing.name,
    kind: listing.kind,
    targetId: listing.id,
    site: listing.site === undefined ? null : findSite(listing.site),
    origin: source.origin,
    hasLookupKey: listing.lookupKey !== null,
    hasSiteKey: listing.site !== undefined && listing.site.key !== null,
    voteSecrets: listing.voteSecrets.length,
    premiumSecrets: listing.premiumSecrets.length,
    addresses: webhookAddresses(listing, publicUrl),
    values: pick(listingPaths, (path) => values[path] ?? { value: null, source: 'default' }),
    inEffect: { rewards, announcements, timeZone },
  };
}

/** By path. What is not set anywhere counts as a default. */
function effectiveOf(
  base: ListingBase,
  configured: ConfiguredListing,
  { settings }: OpenedSettings,
): Readonly<Record<string, EffectiveValue>> {
  const values = Object.entries(valuesOfListing(base, configured, settings));
  return Object.fromEntries(
    values.map(([path, { value, source }]) => [path, { value, source: source === 'unset' ? 'default' : source }]),
  );
}

function pick<Path extends string>(
  paths: readonly Path[],
  read: (path: Path) => EffectiveValue,
): Readonly<Record<Path, EffectiveValue>> {
  return Object.fromEntries(paths.map((path) => [path, read(path)])) as Record<Path, EffectiveValue>;
}

/** Without the reason, which names files of the operator: it is in the log. */
function toUnreadableIssue({ listing, path, isKeyMissing }: UnreadableSecret): SettingIssue {
  if (isKeyMissing) return missingKeyIssue(listing || null, path);
  const problem = 'cannot be read.';
  return {
    listing: listing || null,
    path,
    code: 'invalid',
    problem,
    hint: 'Enter it again.',
    rule: rule('unreadable'),
  };
}

/** The key of secrets is not available. Managers cannot change that. */
export function missingKeyIssue(listing: string | null, path: string): SettingIssue {
  const problem = 'cannot be read or saved, because the key of secrets is missing.';
  return { listing, path, code: 'no_settings_key', problem, hint: 'Ask the operator of this bot: see its log.' };
}
