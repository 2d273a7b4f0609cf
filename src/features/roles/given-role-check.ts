import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { MemberRole } from '../../core/outbox/effect-contents.ts';
import { rejectionOf } from '../../discord/discord-errors.ts';
import { isModerating } from '../../discord/permissions.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { RoleFailure } from './role-failure.ts';

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
