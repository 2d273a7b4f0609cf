import { z } from 'zod';
import type { DiscordState } from '../discord-state.ts';
import { errorResponse } from '../errors.ts';
import type { OAuth } from '../oauth.ts';
import type { Member, Role } from '../objects.ts';
import { allPermissions } from '../permissions.ts';
import { otherGuild } from '../places-without-bot.ts';
import { noContent, ok, type Route, route, routeWith } from '../route.ts';
import { validate } from '../validate.ts';

const memberRoute = routeWith({ acceptsMember: true });

/** The guild, its members and their roles, and direct message channels. Discord: "Guild", "User". */
export function guildRoutes(state: DiscordState, oauth: OAuth): Route[] {
  const checkGuild = (id: string) => {
    if (id !== state.guildId) throw errorResponse.unknownGuild();
    if (!state.isMember(state.bot.id)) throw errorResponse.missingAccess();
  };
  const memberOf = (guildId: string, userId: string): Member => {
    checkGuild(guildId);
    return state.members.get(userId) ?? throwUnknownMember();
  };
  /** A role that the bot may assign. Discord, "Permission Hierarchy": it must be below the bot's highest role. */
  const assignableRole = (roleId: string): Role => {
    const role = state.roles.find(({ id }) => id === roleId) ?? throwUnknownRole();
    const botRoles = state.members.get(state.bot.id)?.roles ?? [];
    const highest = Math.max(...state.roles.filter(({ id }) => botRoles.includes(id)).map(({ position }) => position));
    const isAssignable = role.position < highest && !role.managed && role.id !== state.guildId;
    if (!state.hasPermission(state.bot.id, 'manageRoles') || !isAssignable) throw errorResponse.missingPermissions();
    return role;
  };

  /** The guilds of the bot or of a member. Discord: "Get Current User Guilds". */
  const guildsOf = (userId: string, withCounts: boolean) => {
    const { id, name, icon, banner, features, owner_id } = state.guild();
    const isOwner = userId === owner_id;
    const permissions = isOwner ? allPermissions : state.permissionsOf(userId);
    const own = { id, name, icon, banner, features, owner: isOwner, permissions: String(permissions) };
    const guilds = [
      ...(state.isMember(userId) ? [{ ...own, count: state.members.size }] : []),
      ...(userId === state.bot.id ? [] : [otherGuild(userId, state.people)]),
    ];
    return guilds.map(({ count, ...guild }) => ({
      ...guild,
      ...(withCounts && { approximate_member_count: count, approximate_presence_count: count }),
    }));
  };

  return [
    memberRoute('GET', '/users/@me/guilds', ({ authorization, query }) => {
      const isOfMember = authorization?.startsWith('Bearer ') === true;
      const userId = isOfMember ? oauth.memberOf(authorization, 'guilds') : state.bot.id;
      return ok(guildsOf(userId, query.get('with_counts') === 'true'));
    }),
    route('POST', '/users/@me/channels', ({ body }) => {
      const { recipient_id } = validate(z.object({ recipient_id: z.string() }), body);
      const user = state.user(recipient_id);
      if (user === undefined || user.bot) throw errorResponse.invalidRecipients();
      return ok(state.openDirectChannel(user));
    }),
    route('GET', '/users/:userId', ({ ids }) => ok(state.user(ids.userId) ?? throwUnknownUser())),
    route('GET', '/guilds/:guildId', ({ ids, query }) => {
      checkGuild(ids.guildId);
      const counts = { approximate_member_count: state.members.size, approximate_presence_count: state.members.size };
      return ok({ ...state.guild(), ...(query.get('with_counts') === 'true' ? counts : {}) });
    }),
    route('GET', '/guilds/:guildId/channels', ({ ids }) => {
      checkGuild(ids.guildId);
      return ok(state.guildChannels());
    }),
    route('GET', '/guilds/:guildId/roles', ({ ids }) => {
      checkGuild(ids.guildId);
      return ok(state.roles);
    }),
    route('GET', '/guilds/:guildId/members/:userId', ({ ids }) => ok(memberOf(ids.guildId, ids.userId))),
    route('PUT', '/guilds/:guildId/members/:userId/roles/:roleId', ({ ids }) => {
      const member = memberOf(ids.guildId, ids.userId);
      const { id } = assignableRole(ids.roleId);
      if (!member.roles.includes(id)) state.setRoles(member, [...member.roles, id]);
      return noContent;
    }),
    route('DELETE', '/guilds/:guildId/members/:userId/roles/:roleId', ({ ids }) => {
      const member = memberOf(ids.guildId, ids.userId);
      const { id } = assignableRole(ids.roleId);
      const remaining = member.roles.filter((each) => each !== id);
      if (remaining.length < member.roles.length) state.setRoles(member, remaining);
      return noContent;
    }),
  ];
}

function throwUnknownMember(): never {
  throw errorResponse.unknownMember();
}
function throwUnknownRole(): never {
  throw errorResponse.unknownRole();
}
function throwUnknownUser(): never {
  throw errorResponse.unknownUser();
}
