import { hour } from '../src/platform/durations.ts';
import { announcementsInFile } from './announcements.ts';
import type { DefaultSources, ListingDefaults } from './listing-defaults.ts';
import type { ListingSource } from './listing-source.ts';
import { rewardsInFile, shopItemInFile } from './rewards-in-file.ts';
import type { ListingConfig } from './schema.ts';
import type { SettingSource } from './settings.ts';

/** Where a value of a listing comes from. `setup`: it was changed in Discord. */
export type ValueSource = SettingSource | 'setup';

/** A setting of a listing in effect. */
export interface EffectiveValue {
  /** As in the file; null if it is unset. A shop contains the number of its codes only. */
  readonly value: unknown;
  readonly source: ValueSource;
}

/**
 * The settings of a listing in effect by path, without secrets.
 * @param community all listings of its guild, itself included
 * @param isStored whether `/setup` has stored the value at a path of the listing, or of the community
 */
export function effectiveValues(options: {
  readonly listing: ListingConfig;
  readonly source: ListingSource;
  readonly community: readonly ListingSource[];
  readonly defaults: DefaultSources;
  readonly isStored: (path: string) => boolean;
}): Readonly<Record<string, EffectiveValue>> {
  const { listing, isStored } = options;
  const sources = sourcesOf(options);
  const entries = Object.entries(valuesOf(listing)).map(([path, value]) => {
    const configured = value === null ? 'unset' : (sources[path] ?? 'default');
    return [path, { value, source: isStored(path) ? 'setup' : configured }] as const;
  });
  return Object.fromEntries(entries);
}

function valuesOf(listing: ListingConfig): Record<string, unknown> {
  const { guildId, timeZone, ownerChannelId, announceChannelId, premiumChannelId } = listing;
  const { rewards, announcements, shop } = listing;
  return {
    ...{ guildId, timeZone, ownerChannelId, announceChannelId, premiumChannelId },
    cooldownHours: rewards.base.cooldownMs / hour,
    ...withPrefix('rewards', rewardsInFile(rewards)),
    ...withPrefix('announcements', announcementsInFile(announcements)),
    shop: shop.map(shopItemInFile),
  };
}

function withPrefix(prefix: string, values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** The sources of settings that do not have their default. A bot without a guild of its own has that of the file. */
function sourcesOf(options: {
  readonly listing: ListingConfig;
  readonly source: ListingSource;
  readonly community: readonly ListingSource[];
  readonly defaults: DefaultSources;
}): Readonly<Record<string, ValueSource>> {
  const { listing, source, community, defaults } = options;
  const stated = source.listing;
  const own = (value: unknown, otherwise: keyof ListingDefaults): ValueSource =>
    value === undefined ? defaults[otherwise] : 'file';
  const shared = (name: string, read: (source: ListingSource) => unknown) =>
    community.some((each) => read(each) !== undefined) ? { [name]: 'file' as const } : {};
  const guildSource = source.origin === 'file' && stated.guildId !== undefined ? 'file' : defaults.DISCORD_GUILD_ID;
  const hasPremiumChannel = stated.premiumChannelId !== undefined || defaults.PREMIUM_CHANNEL_ID !== 'unset';
  const { vote, premium, whenDenied, voterRole, ...others } = stated.rewards ?? {};
  const announceSource = own(stated.announceChannelId, 'ANNOUNCE_CHANNEL_ID');
  return {
    ...Object.fromEntries(Object.keys(others).map((name) => [`rewards.${name}`, 'file' as const])),
    ...Object.fromEntries(Object.keys(stated.announcements ?? {}).map((name) => [`announcements.${name}`, 'file'])),
    guildId:
      source.origin === 'setup' ? 'setup' : guildSource === 'unset' && listing.guildId !== null ? 'file' : guildSource,
    announceChannelId: announceSource,
    premiumChannelId: hasPremiumChannel ? own(stated.premiumChannelId, 'PREMIUM_CHANNEL_ID') : announceSource,
    cooldownHours: own(stated.cooldownHours, 'VOTE_COOLDOWN_HOURS'),
    'rewards.vote': own(vote ?? stated.creditsPerVote, 'CREDITS_PER_VOTE'),
    'rewards.premium': own(premium ?? stated.creditsPerPremium, 'CREDITS_PER_PREMIUM'),
    'rewards.whenDenied': own(whenDenied ?? stated.creditsWhenDenied, 'CREDITS_WHEN_DENIED'),
    'rewards.voterRole': own(voterRole, 'VOTER_ROLE_ID'),
    ...shared('timeZone', (each) => each.listing.timeZone),
    ...shared('ownerChannelId', (each) => each.listing.ownerChannelId),
    ...shared('rewards.streak', (each) => each.listing.rewards?.streak),
    ...shared('rewards.party', (each) => each.listing.rewards?.party),
    ...shared('shop', (each) => each.shop),
  };
}
