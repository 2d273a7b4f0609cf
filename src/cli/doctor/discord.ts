import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { plainName } from '@tallyhook/platform/truncate';
import type { ListingConfig } from '../../../config/schema.ts';
import { describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { type BotIdentity, type ChannelAccess, fetchGuildName } from '../../discord/inspection.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { inspectRoles, type RoleAccess } from '../../features/roles/inspect-roles.ts';
import { rolesGivenBy } from '../../features/settings.ts';
import type { Installation, InstallationCheck } from './installation.ts';

/** Finding of the other Discord checks if {@link discordCheck} fails. */
const skippedWithoutDiscord = warn('Skipped, because the discord check failed.');

/** The bot token, and whether the bot is in the guild of DISCORD_GUILD_ID. */
export const discordCheck: InstallationCheck = {
  name: 'discord',
  run: ({ config, rest, identity }) =>
    orDiscordError(async () => {
      const { name, applicationId } = await identity();
      const tokenFinding = pass(`The bot token is valid, for the application "${name}" (${applicationId}).`);
      const { guildId } = config.discord;
      if (guildId === null) return [tokenFinding];
      return [tokenFinding, evaluateGuild(guildId, await fetchGuildName(rest, guildId))];
    }),
};

/** @param name null if the bot is not in the guild */
function evaluateGuild(guildId: string, name: string | null): Finding {
  if (name !== null) return pass(`The bot is in the guild "${name}" (${guildId}).`);
  const hint = 'Invite it there (OAuth2 → URL Generator, scopes bot and applications.commands), or correct the id.';
  return fail(`The bot is not in the guild of DISCORD_GUILD_ID (${guildId}).`, hint);
}

/** Checks that every announcement channel exists, and the bot can post in it. */
export const channelsCheck: InstallationCheck = {
  name: 'channels',
  async run({ listings, program, bot, channel }) {
    const ofProgram = program.listings.flatMap(({ channelId }) => channelId ?? []);
    const ids = [...new Set([...channelIdsOf(listings), ...ofProgram])];
    if (ids.length === 0) return listings.length === 0 ? [] : [noChannel(listings)];
    if ((await bot()) === null) return [skippedWithoutDiscord];
    const findings = ids.map((channelId) =>
      orDiscordError(async () => {
        const access = await channel(channelId);
        return access === null ? [skippedWithoutDiscord] : evaluateChannel(channelId, access);
      }),
    );
    return (await Promise.all(findings)).flat();
  },
};

function noChannel(listings: readonly ListingConfig[]): Finding {
  const isLinked = listings.every(({ linked }) => linked);
  const hint = isLinked ? 'Choose one with /setup, under Announcements.' : 'Set ANNOUNCE_CHANNEL_ID.';
  return warn('No channel is configured, so nothing is announced.', hint);
}

function channelIdsOf(listings: readonly ListingConfig[]): string[] {
  const ids = listings.flatMap(({ announceChannelId, premiumChannelId }) => [announceChannelId, premiumChannelId]);
  return [...new Set(ids.filter((id) => id !== null))];
}

function evaluateChannel(channelId: string, access: ChannelAccess): Finding[] {
  switch (access.state) {
    case 'missing': {
      const hint = 'It may have been deleted: configure the id of a different channel (Copy Channel ID).';
      return [fail(`Channel ${channelId} does not exist.`, hint)];
    }
    case 'hidden': {
      const hint = 'grant it View Channel, Send Messages and Embed Links in that channel.';
      return [fail(`The bot cannot see channel ${channelId}.`, `Invite the bot to its server, and ${hint}`)];
    }
    case 'unfit': {
      const message = `"${access.name}" (${channelId}) is a kind of channel without messages of its own.`;
      return [fail(message, 'Configure the id of a text channel.')];
    }
    case 'seen': {
      const { name, missingPermissions: missing } = access;
      const place = `#${name} (${channelId}) of "${access.guild}"`;
      if (missing.length > 0) {
        const hint = 'Grant it there: channel settings → Permissions → the role of the bot.';
        return [fail(`The bot is missing ${missing.join(', ')} in ${place}.`, hint)];
      }
      const canAnnounce = pass(`The bot can announce in ${place}.`);
      if (access.mayReadHistory) return [canAnnounce];
      const message = `The bot is missing Read Message History in #${name}. Announcements work without it.`;
      const hint = 'Optional: grant it so that the bot can find its earlier messages before it repeats one.';
      return [canAnnounce, warn(message, hint)];
    }
  }
}

/** Checks that the bot can give the roles of the rewards. */
export const rolesCheck: InstallationCheck = {
  name: 'roles',
  async run({ listings, rest, bot }) {
    const byGuild = rolesByGuild(listings);
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

/** The roles that the settings give, by guild. */
export function rolesByGuild(listings: readonly ListingConfig[]): ReadonlyMap<string, ReadonlySet<string>> {
  const byGuild = new Map<string, Set<string>>();
  for (const listing of listings) {
    const { guildId } = listing;
    const roles = rolesGivenBy(listing);
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
    const hint = 'Grant it to the role of the bot: Server Settings → Roles.';
    findings.push(fail(`The bot is missing Manage Roles in ${guild}, so it cannot give roles.`, hint));
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

/** A check that needs the bot of the token. Errors of Discord are findings. */
export function botCheck(
  name: string,
  run: (installation: Installation, bot: BotIdentity) => Promise<readonly Finding[]>,
): InstallationCheck {
  return {
    name,
    async run(installation) {
      const bot = await installation.bot();
      return bot === null ? [skippedWithoutDiscord] : orDiscordError(() => run(installation, bot));
    },
  };
}

/** Returns what `check` finds, or the error of {@link DiscordRest} with which it rejects. */
async function orDiscordError(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

/** Evaluates an error of {@link DiscordRest}. */
export function evaluateDiscordError(error: unknown): Finding {
  const { kind, reason } = describeDiscordError(error);
  switch (kind) {
    case 'token':
      return fail('Discord rejects the bot token (401).', tokenHint);
    case 'refused':
      return fail(
        `Discord rejects the request (${reason}).`,
        'Check DISCORD_API_URL, and that no proxy responds in its place.',
      );
    case 'unreachable':
      return fail(
        `Discord cannot be reached: ${reason}.`,
        'Check the network and https://discordstatus.com. Meanwhile votes are credited, and announcements are queued.',
      );
  }
}
