import type { ShopItem } from '../src/core/rewards/shop-item.ts';
import type { DefaultSources, ListingDefaults } from './listing-defaults.ts';
import type { FileListing } from './listings-file.ts';

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
