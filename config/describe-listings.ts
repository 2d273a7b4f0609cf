import { announcementsInFile } from './announcements.ts';
import type { Environment } from './environment.ts';
import { readListings } from './listings.ts';
import type { FileListing } from './listings-file.ts';
import { readValues, type SettingSource, sourceOf } from './read-values.ts';
import { rewardsInFile, shopItemInFile } from './rewards-in-file.ts';
import type { ListingConfig } from './schema.ts';
import type { SettingName } from './settings.ts';

/** The effective settings of one listing, without secrets. */
export interface PublicListing {
  readonly name: string;
  readonly kind: ListingConfig['kind'];
  readonly settings: readonly PublicListingSetting[];
}

/** An effective setting of a listing, in the form of the file of `TALLYHOOK_CONFIG`. */
export interface PublicListingSetting {
  /** Position in the listing: `timeZone`, `rewards.streak`. */
  readonly name: string;
  /** `file` is the file of `TALLYHOOK_CONFIG`, also for a value of another listing of the guild, or of a `NAME_FILE`. */
  readonly source: SettingSource;
  /** JSON; null if it is unset. A shop contains the number of its codes only. */
  readonly value: unknown;
}

/** The listings in effect with their community, rewards and shop; null if the settings are invalid. */
export function publicListings(environment: Environment): PublicListing[] | null {
  const { values, issues } = readValues(environment);
  const { listings, fileListings } = readListings(values, issues);
  if (issues.length > 0) return null;
  return listings.map((listing, index) => {
    const community = fileListings.filter((_, each) => listings[each]?.guildId === listing.guildId);
    const sources = sourcesOf({ listing, file: fileListings[index] ?? {}, community, environment });
    const settings = Object.entries(effectiveValues(listing)).map(([name, value]) => {
      return { name, source: value === null ? ('unset' as const) : (sources[name] ?? 'default'), value };
    });
    return { name: listing.name, kind: listing.kind, settings };
  });
}

function effectiveValues(listing: ListingConfig): Record<string, unknown> {
  const { guildId, timeZone, ownerChannelId, rewards, announcements, shop } = listing;
  return {
    ...{ guildId, timeZone, ownerChannelId },
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
  /** The listing in the file; empty if it is from the variables. */
  readonly file: Partial<FileListing>;
  /** All listings of the same guild in the file. */
  readonly community: readonly FileListing[];
  readonly environment: Environment;
}): Readonly<Record<string, SettingSource>> {
  const { listing, file, community, environment } = options;
  const own = (value: unknown, otherwise: SettingName) =>
    value === undefined ? sourceOf(otherwise, environment) : 'file';
  const shared = (name: string, read: (listing: FileListing) => unknown) =>
    community.some((each) => read(each) !== undefined) ? { [name]: 'file' as const } : {};
  const guildSource = own(file.guildId, 'DISCORD_GUILD_ID');
  const { vote, premium, whenDenied, voterRole, ...others } = file.rewards ?? {};
  return {
    ...Object.fromEntries(Object.keys(others).map((name) => [`rewards.${name}`, 'file' as const])),
    ...Object.fromEntries(Object.keys(file.announcements ?? {}).map((name) => [`announcements.${name}`, 'file'])),
    guildId: guildSource === 'unset' && listing.guildId !== null ? 'file' : guildSource,
    'rewards.vote': own(vote ?? file.creditsPerVote, 'CREDITS_PER_VOTE'),
    'rewards.premium': own(premium ?? file.creditsPerPremium, 'CREDITS_PER_PREMIUM'),
    'rewards.whenDenied': own(whenDenied ?? file.creditsWhenDenied, 'CREDITS_WHEN_DENIED'),
    'rewards.voterRole': own(voterRole, 'VOTER_ROLE_ID'),
    ...shared('timeZone', (each) => each.timeZone),
    ...shared('ownerChannelId', (each) => each.ownerChannelId),
    ...shared('rewards.streak', (each) => each.rewards?.streak),
    ...shared('rewards.party', (each) => each.rewards?.party),
    ...shared('shop', (each) => each.shop),
  };
}

/** The listings in effect as text: a line per listing, and one per setting. */
export function describeListings(environment: Environment): string {
  const listings = publicListings(environment);
  if (listings === null) return 'The listings are not shown, because the settings are invalid: see --check.\n';
  return listings.map(describeListing).join('\n');
}

function describeListing({ name, kind, settings }: PublicListing): string {
  const width = Math.max(...settings.map((setting) => setting.name.length));
  const lines = settings.map(({ name: setting, source, value }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `  ${setting.padEnd(width)}  ${source === 'unset' ? '(not set)' : `${text}  (${source})`}`;
  });
  return `Listing ${name} (${kind})\n${lines.join('\n')}\n`;
}
