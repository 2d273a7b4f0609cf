import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { plainName } from '@tallyhook/platform/truncate';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { MemberRole } from '../../core/outbox/effect-kind.ts';
import { isUnknownRoute, rejectionOf } from '../../discord/discord-errors.ts';
import { fetchUser } from '../../discord/inspection.ts';
import { isModerating } from '../../discord/permissions.ts';
import type { DiscordAPIError, DiscordRest } from '../../discord/rest.ts';
import { inspectRoles, type RoleAccess } from './inspect-roles.ts';
import type { RoleIssue } from './role-issue.ts';

/** Why Discord rejects a change of a member's role; `role_moderating`: why it is not requested. */
export type RoleFailureCause = RoleIssue | 'member_left' | 'missing_access' | 'rejected';

/** The cause of a rejected change, and a sentence with a hint for the owner. */
export interface RoleFailure {
  readonly cause: RoleFailureCause;
  readonly reason: string;
}

/** The time for which the roles of a guild explain failures (ms): a series of them does not use up the rate limit. */
const guildTtlMs = 10 * second;
const maxReasonLength = 300;

/**
 * Explains a rejected change of a role. Reads the guild's roles if the error alone does not tell the cause; throws what
 * {@link DiscordRest} throws, except if Discord rejects that as well.
 */
export function createExplainRoleFailure(rest: DiscordRest, clock: Clock) {
  const access = new GuildReads(readAccess, guildTtlMs, clock);
  /** Null if Discord rejects the requests or sends something else. */
  async function readAccess(guildId: string): Promise<RoleAccess | null> {
    try {
      const { id: userId } = await fetchUser(rest);
      return await inspectRoles(rest, { guildId, userId });
    } catch (error) {
      if (rejectionOf(error) !== null || error instanceof z.ZodError) return null;
      throw error;
    }
  }
  return async (error: DiscordAPIError, { guildId, userId, role }: MemberRole): Promise<RoleFailure> => {
    switch (error.code) {
      case RESTJSONErrorCodes.MissingPermissions:
        return explainMissingPermissions(await access.read(guildId), role);
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

const maxGuilds = 10_000;

/** Reads something of guilds at most once in a time, however many ask. A rejection is reused as well, no other failure. */
export class GuildReads<Result> {
  readonly #reads = new BoundedMap<{ readonly at: number; readonly result: Promise<Result> }>(maxGuilds);
  readonly #fetch: (guildId: string) => Promise<Result>;
  readonly #maxAgeMs: number;
  readonly #clock: Pick<Clock, 'monotonic'>;

  constructor(fetch: (guildId: string) => Promise<Result>, maxAgeMs: number, clock: Pick<Clock, 'monotonic'>) {
    this.#fetch = fetch;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  readonly read = (guildId: string): Promise<Result> => {
    const at = this.#clock.monotonic();
    const last = this.#reads.get(guildId);
    if (last !== undefined && at - last.at < this.#maxAgeMs) return last.result;
    const reading = { at, result: this.#fetch(guildId) };
    this.#reads.set(guildId, reading);
    reading.result.catch((error: unknown) => {
      if (rejectionOf(error) === null && this.#reads.get(guildId) === reading) this.forget(guildId);
    });
    return reading.result;
  };

  readonly forget = (guildId: string): void => void this.#reads.delete(guildId);
}

const roles = z.array(z.object({ id: z.string(), permissions: z.string(), managed: z.boolean().default(false) }));

export type GivenRoleCheck = ReturnType<typeof createGivenRoleCheck>;

/**
 * Checks roles that Discord would allow to give: one can get permissions of a moderator after it was configured. Reads
 * the roles of a guild at most once per second.
 */
export function createGivenRoleCheck(rest: Pick<DiscordRest, 'get'>, clock: Clock) {
  const mayBeGiven = new GuildReads(fetchRoles, second, clock);
  /** Discord itself rejects managed roles. */
  async function fetchRoles(guildId: string): Promise<ReadonlyMap<string, boolean>> {
    const read = roles.parse(await rest.get(Routes.guildRoles(guildId)));
    return new Map(read.map(({ id, permissions, managed }) => [id, managed || !isModerating(permissions)]));
  }
  return {
    /** Null if the role may be given. Throws what {@link DiscordRest} throws, and ZodError. */
    async check({ guildId, role }: MemberRole): Promise<RoleFailure | null> {
      // Discord itself rejects a role that does not exist. Where the list is not found, the role is not found either.
      const known = await mayBeGiven.read(guildId).catch((error: unknown) => {
        if (!isUnknownRoute(error)) throw error;
      });
      const mayGive = known?.get(role) ?? true;
      return mayGive ? null : roleModerating(role);
    },
    /** The roles of a guild have changed, so they are requested again. */
    forget: mayBeGiven.forget,
  };
}

function roleModerating(role: string): RoleFailure {
  return {
    cause: 'role_moderating',
    reason: `Role ${role} has permissions of a moderator, so votes and purchases do not give it. Remove these permissions from the role, or configure another role.`,
  };
}
