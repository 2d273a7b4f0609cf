import type { z } from 'zod';
import { type SettingSpec, valueAt } from '../src/core/settings/setting-spec.ts';
import { type SettingVariable, settings } from '../src/features/settings.ts';
import type { ShopItem } from '../src/features/shop/item.ts';
import type { FileListing } from './listings-file.ts';
import type { SettingSource, Values } from './settings.ts';

/** Where a listing is configured. `setup`: it was linked in Discord. */
export type ListingOrigin = 'environment' | 'file' | 'setup';

/** A listing as in the file. Null: switched off by `/setup`. Undefined: left out, so that a default is in effect. */
export type StatedListing = Omit<
  FileListing,
  'announceChannelId' | 'premiumChannelId' | 'timeZone' | 'ownerChannelId' | 'rewards' | 'announcements' | 'shop'
> & {
  readonly announceChannelId?: string | null | undefined;
  readonly premiumChannelId?: string | null | undefined;
  readonly timeZone?: string | undefined;
  readonly ownerChannelId?: string | null | undefined;
  readonly rewards?: OrNull<NonNullable<FileListing['rewards']>> | undefined;
  readonly announcements?: OrNull<NonNullable<FileListing['announcements']>> | undefined;
};

type OrNull<Values> = { readonly [Name in keyof Values]: Values[Name] | null };

/** A listing before what it leaves out is taken from the variables, the other listings of its guild, or a default. */
export interface ListingSource {
  readonly origin: ListingOrigin;
  /** Its name in an issue. */
  readonly setting: string;
  readonly listing: StatedListing;
  /** See {@link ListingConfig.implied}. */
  readonly implied: boolean;
  readonly guildId: string | null;
  /** Its shop with all codes. */
  readonly shop: readonly ShopItem[] | undefined;
}

/** What the operator has configured, to which the settings of communities are added. */
export interface ListingBase {
  readonly sources: readonly ListingSource[];
  readonly defaults: ListingDefaults;
  readonly defaultSources: DefaultSources;
}

type DefaultName = SettingVariable | 'VOTER_ROLE_FOR' | 'DISCORD_GUILD_ID';
/** The variables that a listing takes values from. */
export type ListingDefaults = Partial<Pick<Values, DefaultName>>;
/** Where these variables come from. */
export type DefaultSources = Readonly<Record<DefaultName, SettingSource>>;

/** The values of {@link ListingDefaults} by their names, without all others. */
export function pickDefaults<Value>(read: (name: DefaultName) => Value): Readonly<Record<DefaultName, Value>> {
  const specs: readonly SettingSpec[] = settings;
  const names = [...specs.flatMap(({ variable = [] }) => variable), 'VOTER_ROLE_FOR', 'DISCORD_GUILD_ID'] as const;
  return Object.fromEntries(names.map((name) => [name, read(name as DefaultName)])) as Record<DefaultName, Value>;
}

type StatedValue<Spec extends SettingSpec> = z.output<Spec['schema']> | null | undefined;

/** What a listing states itself: null if it is switched off, undefined if it is left out. */
export function statedValue<Spec extends SettingSpec>(
  { path, olderName }: Spec,
  listing: Partial<StatedListing>,
): StatedValue<Spec> {
  const own = valueAt(listing, path);
  // The listing was parsed by the schemas of the settings.
  return (own ?? (olderName === undefined ? own : valueAt(listing, olderName))) as StatedValue<Spec>;
}

/** The same with the value of the variable for one that is left out. */
export function configuredValue<Spec extends SettingSpec>(
  spec: Spec,
  listing: Partial<StatedListing>,
  defaults: ListingDefaults,
): StatedValue<Spec> {
  const { variable, fromVariable = (value) => value }: SettingSpec = spec;
  const stated = statedValue(spec, listing);
  if (stated !== undefined || variable === undefined) return stated;
  const value = defaults[variable as DefaultName];
  return value === undefined ? undefined : (fromVariable(value) as StatedValue<Spec>);
}
