import { cooldownHours } from '../src/core/settings/listing-settings.ts';
import type { SettingSpec } from '../src/core/settings/setting-spec.ts';
import { settings as listingSettings, type SettingPath } from '../src/features/settings.ts';
import { type Environment, isSecretValue, isShownValue, readValues, sourceOf, withoutPassword } from './environment.ts';
import {
  type ConfiguredListing,
  communityConfigs,
  type OpenedSetting,
  pickDefaults,
  readListings,
  type StoredSettings,
  statedValue,
} from './listings.ts';
import type {
  DefaultSources,
  ListingBase,
  ListingConfig,
  ListingDefaults,
  ListingOrigin,
  ListingSource,
} from './schema.ts';
import { type SettingName, type SettingSource, settingNames, settings, type Values } from './settings.ts';

/** The settings in effect, with secrets hidden. Invalid values are included, since this is where to find them. */
export function publicSettings(environment: Environment) {
  return settingNames.map((name) => {
    const source = sourceOf(name, environment);
    return { name, source, value: publicValue(name, source, environment) };
  });
}

function publicValue(name: SettingName, source: SettingSource, environment: Environment): string | null {
  if (source === 'default') return settings[name].default ?? null;
  return source === 'environment' ? publicPart(name, environment[name] ?? '') : null;
}

function publicPart(name: SettingName, value: string): string | null {
  if (!isShownValue(name, value)) return null;
  if (!isSecretValue(name, value)) return withoutPassword(value);
  if (!('isAddress' in settings[name]) || !/^\w+:\/\//.test(value) || !URL.canParse(value)) return null;
  const { protocol, host, pathname } = new URL(value);
  return `${protocol}//${host}${pathname}`;
}

export function describeConfig(environment: Environment): string {
  const width = Math.max(...settingNames.map((name) => name.length));
  const lines = publicSettings(environment).map(
    (setting) => `${setting.name.padEnd(width)}  ${describeSetting(setting, environment)}`,
  );
  return `${lines.join('\n')}\n`;
}

function describeSetting(
  { name, source, value }: ReturnType<typeof publicSettings>[number],
  environment: Environment,
): string {
  if (source === 'unset') return '(not set)';
  if (source === 'file') return `(from the file ${environment[`${name}_FILE`]})`;
  if (source === 'default') return `${value}  (default)`;
  if (value === null) return '(set, hidden)';
  return isSecretValue(name, environment[name] ?? '') ? `${value}  (password hidden)` : value;
}

/** The place that a value of a listing comes from; `setup`: it was changed in Discord. */
export type ValueSource = SettingSource | 'setup';

export interface EffectiveValue {
  /**
   * The value as the file states it, without secrets; null if unset or off. Items of a shop have `codeCount` in place
   * of codes.
   */
  readonly value: unknown;
  readonly source: ValueSource;
}

export const unset: EffectiveValue = { value: null, source: 'unset' };

/** An effective setting of a listing, in the form of the file of `TALLYHOOK_CONFIG`. */
interface PublicListingSetting extends EffectiveValue {
  /** Position in the listing: `timeZone`, `rewards.streak`. */
  readonly name: string;
  /** A secret: `value` is null. */
  readonly secret?: true;
}

/** Configuration by the variables and the file; null if the settings are invalid. */
export function listingBase(environment: Environment): ListingBase | null {
  const { values, issues } = readValues(environment);
  const { sources } = readListings(values, issues);
  return issues.length > 0 ? null : toListingBase(environment, values, sources);
}

/** The operator's part of the settings, with the variables that listings take values from. */
export function toListingBase(
  environment: Environment,
  values: Values,
  sources: readonly ListingSource[],
): ListingBase {
  const defaultSources = pickDefaults((name) => sourceOf(name, environment));
  return { sources, defaults: pickDefaults((name) => values[name]) as ListingDefaults, defaultSources };
}

export function publicListings(environment: Environment, stored: StoredSettings = new Map()) {
  const base = listingBase(environment);
  if (base === null) return null;
  return communityConfigs(base, stored).flatMap(({ guildId, configured }) => {
    const settings = stored.get(guildId) ?? [];
    return configured.map((each) => publicListing(base, each, settings));
  });
}

function publicListing(base: ListingBase, configured: ConfiguredListing, settings: readonly OpenedSetting[]) {
  const values = Object.entries(valuesOfListing(base, configured, settings)).map(
    ([path, value]): PublicListingSetting => ({ name: path, ...value }),
  );
  const { listing, source } = configured;
  const { name, kind } = listing;
  const { origin } = source;
  return { name, kind, origin, settings: [...values, ...secretsOf(listing, origin, settings)] };
}

function secretsOf(
  listing: ListingConfig,
  origin: ListingOrigin,
  settings: readonly OpenedSetting[],
): PublicListingSetting[] {
  const { site } = listing;
  const sourceOf = (path: string, value: { readonly length: number } | null): ValueSource => {
    if (value === null || value.length === 0) return 'unset';
    return settings.some((each) => each.listing === listing.name && each.path === path) ? 'setup' : origin;
  };
  const ofSite: PublicListingSetting[] = site
    ? [
        { name: 'site', source: origin, value: site.id },
        { name: 'slug', source: sourceOf('slug', site.slug), value: site.slug },
        { name: 'siteKey', source: sourceOf('siteKey', site.key), value: null, secret: true },
      ]
    : [];
  const secrets = (['lookupKey', 'voteSecrets', 'premiumSecrets'] as const).map((name): PublicListingSetting => {
    return { name, source: sourceOf(name, listing[name]), value: null, secret: true };
  });
  return [...ofSite, ...secrets];
}

/** The effective values of a listing of a community by path, without secrets. */
export function valuesOfListing(
  { defaultSources }: ListingBase,
  { listing, source }: ConfiguredListing,
  stored: readonly OpenedSetting[],
): Readonly<Record<SettingPath | 'guildId', EffectiveValue>> {
  const isStored = (path: string) =>
    stored.some((each) => each.path === path && (each.listing === '' || each.listing === listing.name));
  const configuredSource = (spec: SettingSpec): ValueSource => {
    const { variable, fallback } = spec;
    if (statedValue(spec, source.listing) !== undefined) return 'file';
    if (variable === undefined || (spec.path === cooldownHours.path && listing.site !== undefined)) return 'default';
    const ofVariable = defaultSources[variable as keyof DefaultSources];
    return ofVariable === 'unset' && fallback !== undefined ? configuredSource(fallback) : ofVariable;
  };
  const values = listingSettings.map((spec: SettingSpec): [string, EffectiveValue] => {
    const value = spec.inFile(listing);
    const configured = value === null ? 'unset' : configuredSource(spec);
    return [spec.path, { value, source: isStored(spec.path) ? 'setup' : configured }];
  });
  const guildSource = sourceOfGuild(listing, source, defaultSources);
  const all = Object.fromEntries([['guildId', { value: listing.guildId, source: guildSource }], ...values]);
  return all as Record<SettingPath | 'guildId', EffectiveValue>;
}

/** A bot without a guild of its own has that of the file. */
function sourceOfGuild(
  { guildId }: ListingConfig,
  { origin, listing }: ListingSource,
  { DISCORD_GUILD_ID }: DefaultSources,
): ValueSource {
  if (guildId === null) return 'unset';
  if (origin === 'setup') return 'setup';
  if (origin === 'file' && listing.guildId !== undefined) return 'file';
  return DISCORD_GUILD_ID === 'unset' ? 'file' : DISCORD_GUILD_ID;
}

export function describeListings(environment: Environment, stored: StoredSettings = new Map()): string {
  const listings = publicListings(environment, stored);
  if (listings === null) return 'The listings are not shown, because the settings are invalid: see --check.\n';
  return listings.map(describeListing).join('\n');
}

function describeListing({ name, kind, settings }: ReturnType<typeof publicListing>): string {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  const lines = settings.map(({ name: setting, source, value, secret }) => {
    const text = secret ? 'set' : typeof value === 'string' ? value : JSON.stringify(value);
    return `  ${setting.padEnd(width)}  ${source === 'unset' ? '(not set)' : `${text}  (${source})`}`;
  });
  return `Listing ${name} (${kind})\n${lines.join('\n')}\n`;
}
