import { hour } from '@tallyhook/platform/durations';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import type { Added } from '../src/core/added-value.ts';
import type { RewardRules } from '../src/core/rewards/reward.ts';
import { type ListingRewards, plainRewards } from '../src/core/rewards/rules.ts';
import { cooldownHours } from '../src/core/settings/listing-settings.ts';
import { premium, vote, whenDenied } from '../src/core/settings/reward-settings.ts';
import type { SettingSpec, SettingsInEffect } from '../src/core/settings/setting-spec.ts';
import { readAnnouncements } from '../src/features/announcements/read-settings.ts';
import { confirmRule } from '../src/features/confirmations/rules.ts';
import { rateAlarmRule } from '../src/features/rate-alarms/rules.ts';
import { voterRole } from '../src/features/roles/settings.ts';
import { rolesNamedBy, settings } from '../src/features/settings.ts';
import { trustOf } from '../src/webhook/sites/site.ts';
import { findSite, type SiteSettings } from '../src/webhook/sites/site-settings.ts';
import { withSharedSettings } from './communities.ts';
import {
  configuredValue,
  type ListingDefaults,
  type ListingSource,
  type StatedListing,
  statedValue,
} from './listing-source.ts';
import type { ListingConfig } from './schema.ts';
import { siteOf } from './sites.ts';

/**
 * The listings with everything that they leave out. Contradictions between listings of a guild are added to `issues`.
 */
export function toListings(
  sources: readonly ListingSource[],
  defaults: ListingDefaults,
  issues: ConfigIssue[],
): ListingConfig[] {
  const listings = withSharedSettings(sources, issues).map((source) => toListing(source, defaults));
  issues.push(...sharedSecretIssues(listings));
  return listings;
}

/** A delivery to a shared address is compared with each of them, which takes at most about a millisecond. */
const maxSharedSecrets = 200;

function sharedSecretIssues(listings: readonly ListingConfig[]): ConfigIssue[] {
  const shared = listings.filter(({ site, ownAddress }) => site === undefined && !ownAddress);
  const secrets = new Set(
    shared.flatMap(({ voteSecrets, premiumSecrets, voteAuthorization }) => [
      ...voteSecrets,
      ...premiumSecrets,
      ...(voteAuthorization === null ? [] : [voteAuthorization]),
    ]),
  );
  if (secrets.size <= maxSharedSecrets) return [];
  const problem = `have ${secrets.size} different secrets, and the shared addresses accept at most ${maxSharedSecrets}.`;
  const hint = 'Set "ownAddress": true for listings whose webhooks have the address /webhooks/<name> of the listing.';
  return [{ setting: 'listings', problem, hint }];
}

/** The listing with everything that it leaves out, but takes nothing from other listings. */
export function toListing(
  { listing, guildId, implied, origin }: ListingSource,
  defaults: ListingDefaults,
): ListingConfig {
  const site = siteOf(listing);
  const specs: readonly SettingSpec[] = settings;
  const inEffect = specs.map((spec) => spec.inEffect?.(configuredValue(spec, listing, defaults)));
  return {
    name: listing.name,
    kind: listing.kind,
    title: listing.title ?? null,
    id: listing.id ?? null,
    implied,
    ...(site && { site }),
    ...(origin === 'setup' && { linked: true as const }),
    ...((origin === 'setup' || listing.ownAddress) && { ownAddress: true as const }),
    lookupKey: listing.lookupKey ?? null,
    voteSecrets: listing.voteSecrets,
    premiumSecrets: listing.premiumSecrets,
    voteAuthorization: listing.voteAuthorization ?? null,
    guildId,
    ...(Object.assign({}, ...inEffect) as SettingsInEffect),
    rewards: rewardsOf(defaults, listing, guildId),
    announcements: readAnnouncements(listing.announcements),
  };
}

/**
 * The rewards of a listing: its own in the file, or else those of the variables. `VOTER_ROLE_ID` is a role of
 * `DISCORD_GUILD_ID`, if that is set, so listings of other guilds do not get it.
 *
 * @param listing its part of the file; empty without a file
 */
export function rewardsOf(
  defaults: ListingDefaults,
  listing: Partial<StatedListing>,
  guildId: string | null,
): ListingRewards {
  const { VOTER_ROLE_ID, VOTER_ROLE_FOR = 0, DISCORD_GUILD_ID = guildId } = defaults;
  const ofGuild = { ...defaults, VOTER_ROLE_ID: DISCORD_GUILD_ID === guildId ? VOTER_ROLE_ID : undefined };
  const value = <Spec extends SettingSpec>(spec: Spec) => configuredValue(spec, listing, ofGuild);
  const role = value(voterRole) ?? null;
  const base = {
    perVote: value(vote) ?? 0,
    perPremium: value(premium) ?? 0,
    whenDenied: value(whenDenied) ?? 0,
    cooldownMs: Math.round((value(cooldownHours) ?? 0) * hour),
    ...siteRules(listing),
  };
  return {
    ...forgeryRules(siteOf(listing)),
    ...plainRewards(base),
    voterRole: role && { role: role.role, forMs: role.for ?? VOTER_ROLE_FOR },
    ...rulesOf(value),
  };
}

/** The rules that values of the file make. */
export function rulesOf(
  read: (spec: SettingSpec) => unknown,
  specs: readonly SettingSpec[] = settings,
): Partial<ListingRewards> {
  return Object.assign({}, ...specs.map((spec) => spec.rules?.(read(spec))));
}

/** What protects a site whose votes can be forged; a vote that the site confirms cannot. */
function forgeryRules(site: SiteSettings | undefined): Added | undefined {
  if (site === undefined) return undefined;
  if (site.confirm) return confirmRule.as(true);
  return trustOf(findSite(site)) === 'token' ? rateAlarmRule.as(true) : undefined;
}

/** The rules of another site. `VOTE_COOLDOWN_HOURS` is for the document's service. */
function siteRules(listing: Partial<StatedListing>): Partial<RewardRules> {
  const settings = siteOf(listing);
  if (settings === undefined) return {};
  const { cooldownMs, retryHorizonMs } = findSite(settings);
  const hours = statedValue(cooldownHours, listing);
  return { site: { retryHorizonMs }, cooldownMs: hours ? Math.round(hours * hour) : cooldownMs };
}

/** Issues with the roles that each listing names itself. */
export function sourceIssues(sources: readonly ListingSource[], defaults: ListingDefaults): ConfigIssue[] {
  return sources.flatMap((source) => roleIssues(toListing(source, defaults), source.setting));
}

/** Issues with the roles that the settings of a listing name. @param setting where they are configured */
export function roleIssues(listing: ListingConfig, setting: string): ConfigIssue[] {
  const roles = rolesNamedBy(listing);
  if (roles.length > 0 && listing.guildId === null) {
    const problem = 'gives or requires a role, but the Discord server (guild) of the role is not configured.';
    return [{ setting, problem, hint: 'Set guildId of the listing, or DISCORD_GUILD_ID, to its id.' }];
  }
  if (listing.guildId === null || !roles.includes(listing.guildId)) return [];
  const problem = `gives or requires the role ${listing.guildId}, which is @everyone and cannot be given.`;
  return [{ setting, problem, hint: 'Use the id of another role (server settings → Roles → Copy Role ID).' }];
}
