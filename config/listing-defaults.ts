import type { SettingSource, Values } from './settings.ts';

/** The variables that a listing takes values from. */
export const defaultNames = [
  'ANNOUNCE_CHANNEL_ID',
  'PREMIUM_CHANNEL_ID',
  'CREDITS_PER_VOTE',
  'CREDITS_PER_PREMIUM',
  'CREDITS_WHEN_DENIED',
  'VOTE_COOLDOWN_HOURS',
  'VOTER_ROLE_ID',
  'VOTER_ROLE_FOR',
  'DISCORD_GUILD_ID',
] as const;
export type ListingDefaults = Partial<Pick<Values, (typeof defaultNames)[number]>>;

export function listingDefaults(values: Partial<Values>): ListingDefaults {
  return Object.fromEntries(defaultNames.map((name) => [name, values[name]]));
}

/** Where the variables that listings take values from come from. */
export type DefaultSources = Readonly<Record<keyof ListingDefaults, SettingSource>>;
