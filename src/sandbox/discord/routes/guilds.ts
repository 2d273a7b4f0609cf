import { z } from 'zod';
import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import type { Member, Role } from '../objects.ts';
import { noContent, ok, type Route, route } from '../route.ts';
import { validate } from '../validate.ts';

/** The guild, its members and their roles, and direct conversations. Discord: "Guild", "User". */
export function guildRoutes(world: DiscordState): Route[] {
  const checkGuild = (id: string) => {
    if (id !== world.guildId) throw errorResponse.unknownGuild();
  };
  const memberOf = (guildId: string, userId: string): Member => {
    checkGuild(guildId);
    return world.members.get(userId) ?? nobody();
  };
  /** A role that the bot may hand out: below its own highest, says "Permission Hierarchy". */
  const roleToGive = (roleId: string): Role => {
    const role = world.roles.find(({ id }) => id === roleId) ?? noRole();
    const own = world.members.get(world.bot.id)?.roles ?? [];
    const highest = Math.max(...world.roles.filter(({ id }) => own.includes(id)).map(({ position }) => position));
    if (!world.may(world.bot.id, 'manageRoles') || role.position >= highest || role.managed)
      throw errorResponse.missingPermissions();
    return role;
  };

  return [
    route('GET', '/users/@me/guilds', () => {
      const { id, name, icon, banner, features } = world.guild();
      const permissions = String(world.permissionsOf(world.bot.id));
      return ok([{ id, name, icon, banner, features, owner: false, permissions }]);
    }),
    route('POST', '/users/@me/channels', ({ body }) => {
      const { recipient_id } = validate(z.object({ recipient_id: z.string() }), body);
      const user = world.user(recipient_id);
      if (user === undefined || user.id === world.bot.id) throw errorResponse.invalidRecipients();
      return ok(world.directChannelWith(user));
    }),
    route('GET', '/users/:userId', ({ ids }) => ok(world.user(ids.userId) ?? noUser())),
    route('GET', '/guilds/:guildId', ({ ids, query }) => {
      checkGuild(ids.guildId);
      const counts = { approximate_member_count: world.members.size, approximate_presence_count: world.members.size };
      return ok({ ...world.guild(), ...(query.get('with_counts') === 'true' ? counts : {}) });
    }),
    route('GET', '/guilds/:guildId/channels', ({ ids }) => {
      checkGuild(ids.guildId);
      return ok(world.guildChannels());
    }),
    route('GET', '/guilds/:guildId/roles', ({ ids }) => {
      checkGuild(ids.guildId);
      return ok(world.roles);
    }),
    route('GET', '/guilds/:guildId/members/:userId', ({ ids }) => ok(memberOf(ids.guildId, ids.userId))),
    route('PUT', '/guilds/:guildId/members/:userId/roles/:roleId', ({ ids }) => {
      const member = memberOf(ids.guildId, ids.userId);
      const { id } = roleToGive(ids.roleId);
      if (!member.roles.includes(id)) world.setRoles(member, [...member.roles, id]);
      return noContent;
    }),
    route('DELETE', '/guilds/:guildId/members/:userId/roles/:roleId', ({ ids }) => {
      const member = memberOf(ids.guildId, ids.userId);
      const { id } = roleToGive(ids.roleId);
      world.setRoles(
        member,
        member.roles.filter((each) => each !== id),
      );
      return noContent;
    }),
  ];
}

function nobody(): never {
  throw errorResponse.unknownMember();
}
function noRole(): never {
  throw errorResponse.unknownRole();
}
function noUser(): never {
  throw errorResponse.unknownUser();
}
