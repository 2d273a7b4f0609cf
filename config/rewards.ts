import type { ListingRewards, PartyRules, StreakRules } from '../src/core/rewards/rules.ts';
import { hour } from '../src/platform/durations.ts';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import type { StatedListing } from './listing-source.ts';
import type { FileListing } from './listings-file.ts';
import type { Values } from './settings.ts';

/**
 * The rewards of a listing: its own in the file, or else those of the variables. `VOTER_ROLE_ID` is a role of
 * `DISCORD_GUILD_ID`, if that is set, so listings of other guilds do not get it.
 *
 * @param listing its part of the file; empty without a file
 * @param community its guild, streak and party
 */
export function rewardsOf(
  values: Partial<Values>,
  listing: Partial<StatedListing>,
  { guildId, streak, party }: RewardsOfCommunity,
): ListingRewards {
  const { rewards } = listing;
  const isInGuild = values.DISCORD_GUILD_ID === undefined || values.DISCORD_GUILD_ID === guildId;
  const ownRole = rewards?.voterRole === null ? null : rewards?.voterRole?.role;
  const role = ownRole === undefined && isInGuild ? (values.VOTER_ROLE_ID ?? null) : (ownRole ?? null);
  return {
    base: {
      perVote: rewards?.vote ?? listing.creditsPerVote ?? values.CREDITS_PER_VOTE ?? 0,
      perPremium: rewards?.premium ?? listing.creditsPerPremium ?? values.CREDITS_PER_PREMIUM ?? 0,
      whenDenied: rewards?.whenDenied ?? listing.creditsWhenDenied ?? values.CREDITS_WHEN_DENIED ?? 0,
      cooldownMs: Math.round((listing.cooldownHours ?? values.VOTE_COOLDOWN_HOURS ?? 0) * hour),
    },
    multipliers: rewards?.multipliers ?? [],
    streak,
    milestones: rewards?.milestones ?? [],
    milestoneRoles: rewards?.milestoneRoles ?? 'all',
    voterRole: role === null ? null : { role, forMs: rewards?.voterRole?.for ?? values.VOTER_ROLE_FOR ?? 0 },
    premiumRoles: rewards?.premiumRoles ?? {},
    allListings: rewards?.allListings ?? 0,
    party,
  };
}

/** The part of a community that its listings' rewards depend on. */
interface RewardsOfCommunity {
  readonly guildId: string | null;
  readonly streak: StreakRules | null;
  readonly party: PartyRules | null;
}

/** The names of credits in `rewards`, and their older names. */
const olderNames = { vote: 'creditsPerVote', premium: 'creditsPerPremium', whenDenied: 'creditsWhenDenied' } as const;

/** An issue for each number of credits that has two different values in the file. */
export function contradictingCredits(listing: FileListing, setting: string): ConfigIssue[] {
  const names = Object.keys(olderNames) as (keyof typeof olderNames)[];
  return names
    .map((name) => ({ name, older: olderNames[name] }))
    .filter(({ name, older }) => {
      const values = [listing.rewards?.[name], listing[older]];
      return !values.includes(undefined) && values[0] !== values[1];
    })
    .map(({ name, older }) => ({
      setting: `${setting}.rewards.${name}`,
      problem: `differs from ${older} of the same listing.`,
      hint: `Remove ${older}; it is the older name of rewards.${name}.`,
    }));
}
