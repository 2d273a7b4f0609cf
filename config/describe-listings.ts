import { type CommunityConfig, communityConfig, type OpenedSetting } from './community-config.ts';
import { defaultSourcesOf } from './default-sources.ts';
import { type EffectiveValue, effectiveValues } from './effective-values.ts';
import type { Environment } from './environment.ts';
import { listingDefaults } from './listing-defaults.ts';
import type { ListingBase, ListingOrigin } from './listing-source.ts';
import { readListings } from './listings.ts';
import { readValues } from './read-values.ts';
import type { ListingConfig } from './schema.ts';

/** The effective settings of one listing, without secrets. */
export interface PublicListing {
  readonly name: string;
  readonly kind: ListingConfig['kind'];
  readonly origin: ListingOrigin;
  readonly settings: readonly PublicListingSetting[];
}

/** An effective setting of a listing, in the form of the file of `TALLYHOOK_CONFIG`. */
export interface PublicListingSetting extends EffectiveValue {
  /** Position in the listing: `timeZone`, `rewards.streak`. */
  readonly name: string;
  /** A secret: `value` is null. */
  readonly secret?: true;
}

/** What communities have stored, by guild. */
export type StoredSettings = ReadonlyMap<string, readonly OpenedSetting[]>;

/** What the variables and the file describe; null if the settings are invalid. */
export function listingBase(environment: Environment): ListingBase | null {
  const { values, issues } = readValues(environment);
  const { sources } = readListings(values, issues);
  return issues.length > 0
    ? null
    : { sources, defaults: listingDefaults(values), defaultSources: defaultSourcesOf(environment) };
}

/** The listings in effect with their community, rewards and shop; null if the settings are invalid. */
export function publicListings(environment: Environment, stored: StoredSettings = new Map()): PublicListing[] | null {
  const base = listingBase(environment);
  if (base === null) return null;
  const guildIds = new Set([...base.sources.map(({ guildId }) => guildId), ...stored.keys()]);
  return [...guildIds].flatMap((guildId) => publicCommunity(base, guildId, stored.get(guildId ?? '') ?? []));
}

function publicCommunity(
  base: ListingBase,
  guildId: string | null,
  settings: readonly OpenedSetting[],
): PublicListing[] {
  const config = communityConfig(base, guildId, settings);
  return config.listings.map((listing, index) => {
    const values = Object.entries(valuesOfListing(base, config, settings, index));
    const origin = config.sources[index]?.origin ?? 'file';
    return {
      ...{ name: listing.name, kind: listing.kind, origin },
      settings: [...values.map(([name, value]) => ({ name, ...value })), ...secretsOf(listing, origin, settings)],
    };
  });
}

/** Which secrets of a listing are set, and where. */
function secretsOf(
  listing: ListingConfig,
  origin: ListingOrigin,
  settings: readonly OpenedSetting[],
): PublicListingSetting[] {
  return (['lookupKey', 'voteSecrets', 'premiumSecrets'] as const).map((name) => {
    const isStored = settings.some((each) => each.listing === listing.name && each.path === name);
    const source = (listing[name]?.length ?? 0) === 0 ? 'unset' : isStored ? 'setup' : origin;
    return { name, source, value: null, secret: true };
  });
}

/** The effective values of a listing of a community. */
export function valuesOfListing(
  base: ListingBase,
  { listings, sources }: CommunityConfig,
  settings: readonly OpenedSetting[],
  index: number,
): Readonly<Record<string, EffectiveValue>> {
  const [listing, source] = [listings[index], sources[index]];
  if (listing === undefined || source === undefined) return {};
  const isStored = (path: string) =>
    settings.some((each) => each.path === path && (each.listing === '' || each.listing === listing.name));
  return effectiveValues({ listing, source, community: sources, defaults: base.defaultSources, isStored });
}

/** The listings in effect as text: a line per listing, and one per setting. */
export function describeListings(environment: Environment, stored: StoredSettings = new Map()): string {
  const listings = publicListings(environment, stored);
  if (listings === null) return 'The listings are not shown, because the settings are invalid: see --check.\n';
  return listings.map(describeListing).join('\n');
}

function describeListing({ name, kind, settings }: PublicListing): string {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  const lines = settings.map(({ name: setting, source, value, secret }) => {
    const text = secret ? 'set' : typeof value === 'string' ? value : JSON.stringify(value);
    return `  ${setting.padEnd(width)}  ${source === 'unset' ? '(not set)' : `${text}  (${source})`}`;
  });
  return `Listing ${name} (${kind})\n${lines.join('\n')}\n`;
}
