import { PermissionFlagsBits, RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { describeDiscordError } from '../../discord/discord-errors.ts';
import { isModerating } from '../../discord/permissions.ts';
import type { DiscordRest } from '../../discord/rest.ts';

/** `below` the bot's highest role, so that it can be given; or the reason why it cannot. */
export type RoleState = 'below' | 'above' | 'managed';

/** The bot's permission to manage the roles of a guild, and their order, names and states. */
export type RoleAccess = NonNullable<Awaited<ReturnType<typeof inspectRoles>>>;

const role = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.string(),
  position: z.number(),
  managed: z.boolean().default(false),
});
const guild = z.object({ name: z.string(), owner_id: z.string(), roles: z.array(role) });
const member = z.object({ roles: z.array(z.string()) });
const notInGuild: readonly number[] = [
  RESTJSONErrorCodes.UnknownGuild,
  RESTJSONErrorCodes.MissingAccess,
  RESTJSONErrorCodes.UnknownMember,
];

/** Null if the bot is not in the guild. Throws what {@link DiscordRest} throws, and ZodError. */
export async function inspectRoles(
  rest: DiscordRest,
  { guildId, userId }: { readonly guildId: string; readonly userId: string },
) {
  try {
    const { name: guildName, owner_id: ownerId, roles } = guild.parse(await rest.get(Routes.guild(guildId)));
    const own = new Set([guildId, ...member.parse(await rest.get(Routes.guildMember(guildId, userId))).roles]);
    const ownRoles = roles.filter(({ id }) => own.has(id));
    const highest = Math.max(...ownRoles.map(({ position }) => position));
    const permissions = ownRoles.reduce((bits, { permissions: granted }) => bits | BigInt(granted), 0n);
    const managing = PermissionFlagsBits.Administrator | PermissionFlagsBits.ManageRoles;
    return {
      mayManageRoles: (permissions & managing) !== 0n,
      ownerId,
      roles: new Map(
        roles.map(({ id, position, managed }) => {
          const state: RoleState = managed || id === guildId ? 'managed' : position < highest ? 'below' : 'above';
          return [id, state];
        }),
      ),
      /** Places of the roles: 0 for @everyone, the lowest. */
      positions: new Map(roles.map(({ id, position }) => [id, position])),
      names: new Map(roles.map(({ id, name }) => [id, name])),
      guildName,
      moderating: new Set(roles.filter((each) => isModerating(each.permissions)).map(({ id }) => id)),
    };
  } catch (error) {
    const description = describeDiscordError(error);
    if (description.kind === 'refused' && notInGuild.includes(description.code)) return null;
    throw error;
  }
}
