import type { z } from 'zod';
import { type SettingSpec, valueAt } from '../src/core/settings/setting-spec.ts';
import { type SettingPath, type SettingVariable, settings } from '../src/features/settings.ts';
import type { FileListing } from './listings-file.ts';
import type { SettingSource, Values } from './settings.ts';

/** Where a listing is configured. `setup`: it was linked in Discord. */
export type ListingOrigin = 'environment' | 'file' | 'setup';

type OrNull<Values> = { readonly [Name in keyof Values]: Values[Name] | null };
type Group = 'rewards' | 'announcements';

/** A listing as in the file. Null: switched off by `/setup`. Undefined: left out, so that a default is in effect. */
export type StatedListing = Omit<FileListing, SettingPath | Group> &
  OrNull<Pick<FileListing, keyof FileListing & SettingPath>> & {
    readonly [Name in Group]?: OrNull<NonNullable<FileListing[Name]>> | undefined;
  };

/** A listing before what it leaves out is taken from the variables, the other listings of its guild, or a default. */
export interface ListingSource {
  readonly origin: ListingOrigin;
  /** Its name in an issue. */
  readonly setting: string;
  readonly listing: StatedListing;
  /** See {@link ListingConfig.implied}. */
  readonly implied: boolean;
  readonly guildId: string | null;
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
  { path }: Spec,
  listing: Partial<StatedListing>,
): StatedValue<Spec> {
  // The listing was parsed by the schemas of the settings.
  return valueAt(listing, path) as StatedValue<Spec>;
}

/** The same, or else the value of the variable, or of another setting. */
export function configuredValue<Spec extends SettingSpec>(
  spec: Spec,
  listing: Partial<StatedListing>,
  defaults: ListingDefaults,
): StatedValue<Spec> {
  const { variable, fromVariable = (value) => value, fallback }: SettingSpec = spec;
  const ofVariable = variable === undefined ? undefined : defaults[variable as DefaultName];
  const stated = statedValue(spec, listing);
  const value = stated === undefined && ofVariable !== undefined ? fromVariable(ofVariable) : stated;
  return (value ?? (fallback ? configuredValue(fallback, listing, defaults) : value)) as StatedValue<Spec>;
}
