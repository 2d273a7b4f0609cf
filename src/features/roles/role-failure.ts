import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { plainName } from '@tallyhook/platform/truncate';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { MemberRole } from '../../core/outbox/effect-kind.ts';
import { rejectionOf } from '../../discord/discord-errors.ts';
import { isModerating } from '../../discord/permissions.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';

/** Why Discord rejects a change of a member's role; `role_moderating`: why it is not requested. */
export type RoleFailureCause =
  | 'missing_permission'
  | 'role_too_high'
  | 'role_managed'
  | 'role_moderating'
  | 'role_deleted'
  | 'member_left'
  | 'missing_access'
  | 'rejected';

/** The cause of a rejected change, and a sentence with a hint for the owner. */
export interface RoleFailure {
  readonly cause: RoleFailureCause;
  readonly reason: string;
}

/**
 * Explains a rejected change of a role. Reads the guild's roles if the error alone does not tell the cause; throws what
 * {@link DiscordRest} throws, except if Discord rejects that as well.
 */
export type ExplainRoleFailure = (error: DiscordAPIError, change: MemberRole) => Promise<RoleFailure>;

/** How long the roles of a guild are reused (ms), so that a series of failures does not use up the rate limit. */
const guildTtlMs = 10 * second;
const maxReasonLength = 300;

export function createExplainRoleFailure(rest: DiscordRest, clock: Clock): ExplainRoleFailure {
  let lastGuild: { readonly id: string; readonly at: number; readonly roles: RoleAccess | null } | undefined;

  /** Null if Discord rejects the requests or sends something else. */
  async function rolesOf(guildId: string): Promise<RoleAccess | null> {
    const now = clock.monotonic();
    if (lastGuild?.id === guildId && now - lastGuild.at < guildTtlMs) return lastGuild.roles;
    try {
      const { id: userId } = userSchema.parse(await rest.get(Routes.user()));
      const roles = await inspectRoles(rest, { guildId, userId });
      lastGuild = { id: guildId, at: now, roles };
      return roles;
    } catch (error) {
      if (rejectionOf(error) !== null || error instanceof z.ZodError) return null;
      throw error;
    }
  }

  return async (error, { guildId, userId, role }) => {
    switch (error.code) {
      case RESTJSONErrorCodes.MissingPermissions:
        return explainMissingPermissions(await rolesOf(guildId), role);
      case RESTJSONErrorCodes.UnknownRole:
        return roleDeleted(role);
      case RESTJSONErrorCodes.UnknownMember:
      case RESTJSONErrorCodes.UnknownUser:
        return {
          cause: 'member_left',
          reason: `Member ${userId} is not in the server. After a return, the role is given with the next vote or command.`,
        };
      case RESTJSONErrorCodes.UnknownGuild:
      case RESTJSONErrorCodes.MissingAccess:
        return {
          cause: 'missing_access',
          reason: `The bot is not in server ${guildId}. Invite it there with the permission Manage Roles.`,
        };
      default:
        return {
          cause: 'rejected',
          reason: plainName(`Discord rejects role ${role}: ${error.message}`, maxReasonLength),
        };
    }
  };
}

const userSchema = z.object({ id: z.string() });

/** 50013 is the code of all of these. Discord: "Permission Hierarchy". */
function explainMissingPermissions(access: RoleAccess | null, roleId: string): RoleFailure {
  if (access === null) return unexplained(roleId);
  const state = access.roles.get(roleId);
  if (state === undefined) return roleDeleted(roleId);
  if (!access.mayManageRoles) {
    return {
      cause: 'missing_permission',
      reason: 'The bot lacks the permission Manage Roles. Give it to the role of the bot in Server Settings → Roles.',
    };
  }
  switch (state) {
    case 'managed': {
      const reason = `Nobody can give role ${roleId}: it belongs to an integration or to everyone. Configure another role.`;
      return { cause: 'role_managed', reason };
    }
    case 'above': {
      const drag = 'Drag the role of the bot above it in Server Settings → Roles.';
      return { cause: 'role_too_high', reason: `Role ${roleId} is not below the role of the bot. ${drag}` };
    }
    case 'below':
      return unexplained(roleId);
  }
}

function unexplained(roleId: string): RoleFailure {
  return {
    cause: 'rejected',
    reason: `The bot may not change role ${roleId}. It needs Manage Roles, and its own role must be above that role.`,
  };
}

function roleDeleted(roleId: string): RoleFailure {
  return { cause: 'role_deleted', reason: `The server has no role ${roleId}. Configure another role.` };
}

/**
 * Why a role is not given although Discord would allow it; null if it may be given. A role can get permissions of a
 * moderator after it was configured. Throws what {@link DiscordRest} throws, and ZodError.
 */
export type CheckGivenRole = (change: MemberRole) => Promise<RoleFailure | null>;

/** How long what Discord says of the roles of a guild is reused (ms). */
const maxAgeMs = second;
/** Guilds whose roles are known. */
const maxGuilds = 10_000;

const roles = z.array(z.object({ id: z.string(), permissions: z.string(), managed: z.boolean().default(false) }));
/** Whether each role of a guild may be given, by its id. Discord itself rejects managed roles. */
type GuildRoles = ReadonlyMap<string, boolean>;

interface Reading {
  /** When it began (ms, monotonic). */
  readonly at: number;
  readonly result: Promise<GuildRoles>;
}

export type GivenRoleCheck = ReturnType<typeof createGivenRoleCheck>;

/** Requests the roles of a guild at most once per second, however many members get a role. */
export function createGivenRoleCheck(rest: Pick<DiscordRest, 'get'>, clock: Clock) {
  const readings = new BoundedMap<Reading>(maxGuilds);

  async function fetchRoles(guildId: string): Promise<GuildRoles> {
    const read = roles.parse(await rest.get(Routes.guildRoles(guildId)));
    return new Map(read.map(({ id, permissions, managed }) => [id, managed || !isModerating(permissions)]));
  }

  function read(guildId: string): Promise<GuildRoles> {
    const last = readings.get(guildId);
    if (last !== undefined && clock.monotonic() - last.at < maxAgeMs) return last.result;
    const reading: Reading = { at: clock.monotonic(), result: fetchRoles(guildId) };
    readings.set(guildId, reading);
    reading.result.catch((error: unknown) => {
      // A rejection is kept like a result; any other failure passes by itself.
      if (rejectionOf(error) === null && readings.get(guildId) === reading) readings.delete(guildId);
    });
    return reading.result;
  }

  return {
    async check({ guildId, role }: MemberRole): Promise<RoleFailure | null> {
      // Discord itself rejects a role that does not exist.
      const mayGive = (await read(guildId)).get(role) ?? true;
      return mayGive ? null : roleModerating(role);
    },
    /** The roles of a guild have changed, so they are requested again. */
    forget: (guildId: string) => void readings.delete(guildId),
  };
}

function roleModerating(role: string): RoleFailure {
  return {
    cause: 'role_moderating',
    reason: `Role ${role} has permissions of a moderator, so votes and purchases do not give it. Remove these permissions from the role, or configure another role.`,
  };
}
