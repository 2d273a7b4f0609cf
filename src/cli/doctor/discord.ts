import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { formatCount, pluralize } from '@tallyhook/platform/durations';
import { plainName } from '@tallyhook/platform/truncate';
import { commandsFor } from '../../../commands/index.ts';
import type { Config, ListingConfig } from '../../../config/schema.ts';
import type { ProgramNote } from '../../core/store/installation.ts';
import {
  allGuilds,
  guildsToPause,
  maxInvalidRequests,
  recentRejections,
  warningInvalidRequests,
} from '../../discord/circuits.ts';
import { describeDiscordError, tokenHint } from '../../discord/discord-errors.ts';
import { type BotIdentity, type ChannelAccess, fetchApplication, fetchGuildName } from '../../discord/inspection.ts';
import { findEndpointProblem, interactionsPath } from '../../discord/interactions/endpoint.ts';
import type { RegisteredCommand } from '../../discord/registration/command-shape.ts';
import { conflictHint } from '../../discord/registration/registrar.ts';
import {
  type CommandScope,
  findEarlierCommands,
  formatCommand,
  formatScope,
  inspectRegistration,
  maxGuildsOnRequest,
  scopesToSearch,
  unclearHint,
} from '../../discord/registration/registration.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import { configuredOffer } from '../../features/communities/command-context.ts';
import type { Publication } from '../../features/parts.ts';
import { inspectRoles, type RoleAccess } from '../../features/roles/inspect-roles.ts';
import { rolesGivenBy } from '../../features/settings.ts';
import type { Store } from '../../features/store.ts';
import type { Installation, InstallationCheck } from './installation.ts';

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

export const rolesCheck: InstallationCheck = {
  name: 'roles',
  async run({ listings, rest, bot }) {
    const byGuild = rolesByGuild(listings);
    if (byGuild.size === 0) return [];
    const identity = await bot();
    return identity === null ? [skippedWithoutDiscord] : checkRoles(rest, identity.userId, byGuild);
  },
};

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

function botCheck(
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

async function orDiscordError(check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    return [evaluateDiscordError(error)];
  }
}

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

/** Checks that the slash commands are registered as this version defines them, and only there. */
export const slashCommandsCheck = botCheck('commands', async (installation, { applicationId }) => {
  const { config, effective, program, rest, store, status } = installation;
  const { guildId } = config.discord;
  // Without the database, our commands are recognised by their description.
  const { listings } = effective;
  const context = await configuredOffer({ ...config, listings }, store?.settings.hasValue ?? (async () => false));
  const stored = store === null ? [] : await store.commandRegistry.list(applicationId);
  const registry = { list: async () => stored };
  const registration = { rest, applicationId, guildId, commands: commandsFor(config), context, registry };
  const scopes = await scopesToSearch(rest, effective.guildIds, maxGuildsOnRequest);
  const [inspected, earlier] = await Promise.all([
    inspectRegistration(registration),
    findEarlierCommands(registration, scopes),
  ]);
  const elsewhere = [...inspected.elsewhere, ...earlier.ours];
  return [
    evaluateRegistration(hasCode(program, config) ? { isCurrent: inspected.isAsStored } : inspected, {
      scope: formatScope(guildId),
      isNew: status.state === 'absent',
    }),
    ...inspected.conflicts.map(({ name, id }) =>
      warn(`Another program has registered ${formatCommand(name)} (${id}).`, conflictHint),
    ),
    ...[...Map.groupBy(elsewhere, (command) => command.guildId)].map(([scope, commands]) =>
      evaluateElsewhere(scope, commands),
    ),
    ...earlier.unclear.map(({ name, id, guildId: scope }) =>
      warn(
        `${formatCommand(name)} (${id}) is also registered ${formatScope(scope)}, by tallyhook or another program.`,
        unclearHint,
      ),
    ),
  ];
});

/** True if listings or commands are in code, known to the program alone; what it has registered is compared instead. */
function hasCode({ listings, commands }: ProgramNote, config: Config): boolean {
  const expected = commandsFor(config).map(({ name }) => name);
  const isSame =
    commands === null || (commands.length === expected.length && commands.every((name) => expected.includes(name)));
  return listings.length > 0 || !isSame;
}

/** @param options.isNew whether tallyhook was never started with this database */
function evaluateRegistration(
  { isCurrent }: { readonly isCurrent: boolean },
  { scope, isNew }: { readonly scope: string; readonly isNew: boolean },
): Finding {
  if (isCurrent) return pass(`The slash commands are registered ${scope}.`);
  if (isNew) return pass(`The first start registers the slash commands ${scope}.`);
  return fail(
    `The slash commands are not registered ${scope}, or they are outdated.`,
    'Run `tallyhook register`. `tallyhook start` also registers them, once it is connected to Discord.',
  );
}

function evaluateElsewhere(scope: CommandScope, commands: readonly RegisteredCommand[]): Finding {
  const names = commands.map(({ name }) => formatCommand(name)).join(', ');
  const verb = pluralize(commands.length, 'is', 'are');
  return warn(
    `${names} ${verb} also registered ${formatScope(scope)}, by an earlier start: members see them twice.`,
    'Run `tallyhook register`, or restart tallyhook, to delete them there.',
  );
}

/** Checks that Discord sends commands where a process with these settings receives them. */
export const endpointCheck = botCheck('endpoint', async ({ config: { discord, publicUrl }, rest }) => {
  const application = await fetchApplication(rest);
  const { interactions_endpoint_url: endpointUrl } = application;
  const url = publicUrl === null ? null : `${publicUrl}${interactionsPath}`;
  const found = findEndpointProblem(application, { publicKey: discord.publicKey, url });
  if (found !== null) return [{ level: found.level, message: found.problem, hint: found.hint }];
  return [pass(`Discord sends commands ${endpointUrl === null ? 'through the gateway' : `to ${endpointUrl}`}.`)];
});

/** Checks that Discord knows what a feature publishes. */
export const publicationCheck = ({ name, check }: Publication): InstallationCheck =>
  botCheck(name, ({ rest }, { applicationId }) => check(rest, applicationId));

const maxShown = 10;
const stopHint =
  'Its effects wait. They are tried again when the permissions change, and once a minute; after a day they are buried with this reason.';
const pauseHint = 'It is sent nothing until there are fewer. Other servers are not affected.';
const blockHint =
  'Discord blocks an address after 10,000 in ten minutes. Fix what the other checks and the log report: a wrong token, missing permissions, or other bots with this token.';

export const rejectedRequestsCheck: InstallationCheck = {
  name: 'requests',
  run: ({ store, clock }) => (store === null ? [] : checkRejectedRequests(store, clock.now())),
};

/** Evaluates how many requests Discord has rejected, of all processes. @param now ms since the epoch */
export async function checkRejectedRequests({ circuits }: Pick<Store, 'circuits'>, now: number) {
  const counts = await recentRejections(circuits, now);
  return [evaluateCount(counts.get(allGuilds) ?? 0), ...evaluateStops(counts, await circuits.all())];
}

function evaluateCount(count: number): Finding {
  const message = `Discord has rejected ${formatCount(count, 'request')} in the last ten minutes`;
  if (count >= maxInvalidRequests)
    return fail(`${message}; only interactions are answered until there are fewer.`, blockHint);
  if (count >= warningInvalidRequests) return warn(`${message}.`, blockHint);
  return pass(`${message}.`);
}

/** The guilds that are paused, and what Discord rejects, the newest first. */
function evaluateStops(
  counts: Parameters<typeof guildsToPause>[0],
  circuits: Awaited<ReturnType<Store['circuits']['all']>>,
): Finding[] {
  const paused = guildsToPause(counts);
  const stopped = [...counts].filter(([guildId]) => paused.has(guildId));
  const open = circuits.toSorted((a, b) => b.openedAt - a.openedAt);
  const more = open.length - maxShown;
  const others = formatCount(more, 'other channel or role', 'other channels or roles');
  return [
    ...stopped.map(([guildId, count]) => {
      const rejected = `${formatCount(count, 'request')} of it in the last ten minutes`;
      return warn(`Server ${guildId} is paused: Discord rejected ${rejected}.`, pauseHint);
    }),
    ...open.slice(0, maxShown).map(({ guildId, openedAt, reason }) => {
      const server = guildId === null ? '' : ` in server ${guildId}`;
      return warn(`Discord rejects requests${server} since ${new Date(openedAt).toISOString()}: ${reason}`, stopHint);
    }),
    ...(more > 0 ? [warn(`Discord rejects ${others}, too.`, stopHint)] : []),
  ];
}
