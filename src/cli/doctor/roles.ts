import type { ListingConfig } from '../../../config/schema.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { inspectRoles, type RoleAccess } from '../../features/roles/inspect-roles.ts';
import { type Finding, fail, pass } from '../../platform/doctor/check.ts';
import { plainName } from '../../platform/truncate.ts';
import { orDiscordError, skippedWithoutDiscord } from './discord.ts';
import type { InstallationCheck } from './installation.ts';

/** Whether the bot can give the roles of the rewards. */
export const rolesCheck: InstallationCheck = {
  name: 'roles',
  async run({ config, rest, bot }) {
    const byGuild = rolesByGuild(config.listings);
    if (byGuild.size === 0) return [];
    const identity = await bot();
    return identity === null ? [skippedWithoutDiscord] : checkRoles(rest, identity.userId, byGuild);
  },
};

/** @param userId of the bot */
export async function checkRoles(
  rest: DiscordRest,
  userId: string,
  byGuild: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<readonly Finding[]> {
  const findings = [...byGuild].map(([guildId, roles]) =>
    orDiscordError(async () => evaluateRoles(guildId, roles, await inspectRoles(rest, { guildId, userId }))),
  );
  return (await Promise.all(findings)).flat();
}

/** The roles that rewards and the shop give, by guild. */
export function rolesByGuild(listings: readonly ListingConfig[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byGuild = new Map<string, Set<string>>();
  for (const { guildId, rewards, shop } of listings) {
    const roles = [
      rewards.voterRole?.role,
      ...rewards.milestones.map(({ role }) => role),
      ...Object.values(rewards.premiumRoles),
      ...shop.map(({ role }) => role),
    ].filter((role) => typeof role === 'string');
    if (guildId === null || roles.length === 0) continue;
    byGuild.set(guildId, new Set([...(byGuild.get(guildId) ?? []), ...roles]));
  }
  return byGuild;
}

/** @param access null if the bot is not in the guild */
export function evaluateRoles(guildId: string, roles: ReadonlySet<string>, access: RoleAccess | null): Finding[] {
  if (access === null) {
    return [fail(`The bot is not in the guild ${guildId}, so it cannot give roles there.`, 'Invite it there.')];
  }
  const guild = `"${plainName(access.guildName)}"`;
  const findings: Finding[] = [];
  if (!access.mayManageRoles) {
    findings.push(
      fail(
        `The bot is missing Manage Roles in ${guild}, so it cannot give roles.`,
        'Grant it to the role of the bot: Server Settings → Roles.',
      ),
    );
  }
  for (const role of roles) {
    const state = access.roles.get(role) ?? 'missing';
    const name = `@${plainName(access.names.get(role) ?? '')} (${role})`;
    if (state === 'missing') {
      const hint = 'It may have been deleted. Configure the id of another one (Copy Role ID).';
      findings.push(fail(`The role ${role} does not exist in ${guild}.`, hint));
    } else if (state === 'above') {
      const hint = "Server Settings → Roles: move the bot's own role above it.";
      findings.push(fail(`${name} is not below the bot's highest role, so it cannot be given.`, hint));
    } else if (state === 'managed') {
      const hint = 'It belongs to an integration, which alone can give it. Configure another role.';
      findings.push(fail(`${name} is managed, so it cannot be given.`, hint));
    } else if (access.moderating.has(role)) {
      const hint = 'Remove these permissions from the role, or configure another role.';
      findings.push(fail(`${name} has permissions of a moderator, so it is not given.`, hint));
    }
  }
  return findings.length > 0 ? findings : [pass(`The bot can give all configured roles in ${guild}.`)];
}
