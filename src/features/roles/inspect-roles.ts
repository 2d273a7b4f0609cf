import { PermissionFlagsBits } from 'discord-api-types/v10';
import { fetchMembership, unlessAbsent } from '../../discord/inspection.ts';
import { isModerating, permissionsOfRoles } from '../../discord/permissions.ts';
import type { DiscordRest } from '../../discord/rest.ts';

/** `below` the bot's highest role, so that it can be given; or the reason why it cannot. */
export type RoleState = 'below' | 'above' | 'managed';

/** The bot's permission to manage the roles of a guild, and their order, names and states. */
export type RoleAccess = NonNullable<Awaited<ReturnType<typeof inspectRoles>>>;

/** Null if the bot is not in the guild. Throws what {@link DiscordRest} throws, and ZodError. */
export async function inspectRoles(rest: DiscordRest, bot: { readonly guildId: string; readonly userId: string }) {
  const membership = await unlessAbsent(fetchMembership(rest, bot));
  if (membership === null) return null;
  const { guild, member } = membership;
  const { roles } = guild;
  const own = roles.filter(({ id }) => id === guild.id || member.roles.includes(id));
  const highest = Math.max(...own.map(({ position }) => position));
  const permissions = permissionsOfRoles({ guild, member });
  return {
    mayManageRoles: (permissions & PermissionFlagsBits.ManageRoles) !== 0n,
    ownerId: guild.ownerId,
    roles: new Map(
      roles.map(({ id, position, managed }) => {
        const state: RoleState = managed || id === guild.id ? 'managed' : position < highest ? 'below' : 'above';
        return [id, state];
      }),
    ),
    /** Places of the roles: 0 for @everyone, the lowest. */
    positions: new Map(roles.map(({ id, position }) => [id, position])),
    names: new Map(roles.map(({ id, name }) => [id, name])),
    guildName: guild.name,
    moderating: new Set(roles.filter((each) => isModerating(each.permissions)).map(({ id }) => id)),
  };
}
