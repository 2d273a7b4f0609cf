import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import type { ListingConfig } from './schema.ts';

type RewardingListing = Pick<ListingConfig, 'guildId' | 'rewards' | 'shop'>;

/**
 * Issues with the roles that a listing's rules and shop name.
 *
 * @param setting where they are configured
 */
export function roleIssues(listing: RewardingListing, setting: string): ConfigIssue[] {
  const roles = rolesOf(listing);
  if (roles.length > 0 && listing.guildId === null) {
    const problem = 'gives or requires a role, but the Discord server (guild) of the role is not configured.';
    return [{ setting, problem, hint: 'Set DISCORD_GUILD_ID to its id, or guildId of the listing in the file.' }];
  }
  if (listing.guildId === null || !roles.includes(listing.guildId)) return [];
  const problem = `gives or requires the role ${listing.guildId}, which is @everyone and cannot be given.`;
  return [{ setting, problem, hint: 'Use the id of another role (server settings → Roles → Copy Role ID).' }];
}

/** All roles that the rules and the shop of a listing give or require. */
export function rolesOf({ rewards, shop }: RewardingListing): string[] {
  const roles = [
    rewards.voterRole?.role,
    ...Object.values(rewards.premiumRoles),
    ...rewards.milestones.map(({ role }) => role),
    ...rewards.multipliers.map(({ role }) => role),
    ...shop.flatMap(({ role, needsRole }) => [role, needsRole]),
  ];
  return roles.filter((role) => typeof role === 'string');
}
