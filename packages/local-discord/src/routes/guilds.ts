import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { DiscordStore } from '../discord-store.ts';
import { errorResponse, raise } from '../errors.ts';
import type { Role } from '../objects.ts';
import { allPermissions } from '../permissions.ts';
import { otherGuild } from '../places-without-bot.ts';
import { done, ok, type Route, route, routeWith } from '../rest.ts';
import { validate } from '../validate.ts';

const memberRoute = routeWith({ acceptsMember: true });
const publicRoute = routeWith({ needsBot: false });

const image = z
  .string()
  .regex(/^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/]+=*$/, 'Invalid image data')
  .nullable()
  .optional();
const ownMember = z.object({ nick: z.string().max(32).nullable().optional(), avatar: image, banner: image });

const hashOf = (picture: string) => createHash('md5').update(picture).digest('hex');

/** The guild, its invite, its members and their roles, and direct message channels. Discord: "Guild", "Invite", "User". */
export function guildRoutes({ state, threads, oauth }: DiscordStore): Route[] {
  const guildRoute = routeWith({
    check({ guildId }) {
      if (guildId !== state.guildId) throw errorResponse.unknownGuild();
      if (!state.isMember(state.bot.id)) throw errorResponse.missingAccess();
    },
  });
  const memberOf = (userId: string) => state.members.get(userId) ?? raise(errorResponse.unknownMember());
  /** A role that the bot may assign. Discord, "Permission Hierarchy": it must be below the bot's highest role. */
  const assignableRole = (roleId: string): Role => {
    const role = state.roles.find(({ id }) => id === roleId) ?? raise(errorResponse.unknownRole());
    const botRoles = state.members.get(state.bot.id)?.roles ?? [];
    const highest = Math.max(...state.roles.filter(({ id }) => botRoles.includes(id)).map(({ position }) => position));
    const isAssignable = role.position < highest && !role.managed && role.id !== state.guildId;
    if (!state.hasPermission(state.bot.id, 'manageRoles') || !isAssignable) throw errorResponse.missingPermissions();
    return role;
  };

  const rolePath = '/guilds/:guildId/members/:userId/roles/:roleId';
  const changeRole = (ids: { readonly userId: string; readonly roleId: string }, hasRole: boolean) => {
    const member = memberOf(ids.userId);
    const { id } = assignableRole(ids.roleId);
    const others = member.roles.filter((each) => each !== id);
    if (member.roles.includes(id) !== hasRole) state.setRoles(member, hasRole ? [...others, id] : others);
  };

  const approximateCounts = () => {
    return { approximate_member_count: state.members.size, approximate_presence_count: state.members.size };
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
    route('GET', '/users/:userId', ({ ids }) => ok(state.user(ids.userId) ?? raise(errorResponse.unknownUser()))),
    guildRoute('GET', '/guilds/:guildId', ({ query }) => {
      return ok({ ...state.guild(), ...(query.get('with_counts') === 'true' ? approximateCounts() : {}) });
    }),
    publicRoute('GET', '/invites/:code', ({ ids: { code }, query }) => {
      const { icon, splash, banner, description, features, nsfw, nsfw_level, ...guild } = state.guild();
      const { id, name, verification_level, vanity_url_code, premium_subscription_count } = guild;
      if (code !== vanity_url_code) throw errorResponse.unknownInvite();
      const [channel] = state.guildChannels();
      return ok({
        ...{ type: 0, code, expires_at: null, flags: 0, guild_id: id },
        guild: {
          ...{ id, name, splash, banner, description, icon, features, verification_level, vanity_url_code },
          ...{ nsfw_level, nsfw, premium_subscription_count },
        },
        channel: channel ? { id: channel.id, type: channel.type, name: channel.name } : null,
        ...(query.get('with_counts') === 'true' ? approximateCounts() : {}),
      });
    }),
    guildRoute('GET', '/guilds/:guildId/channels', () => ok(state.guildChannels())),
    // "Threads are ordered by their id, in descending order."
    guildRoute('GET', '/guilds/:guildId/threads/active', () => {
      const active = state.threads('active').sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1));
      return ok(threads.list(active.map((thread) => state.threadForBot(thread))));
    }),
    guildRoute('GET', '/guilds/:guildId/roles', () => ok(state.roles)),
    guildRoute('GET', '/guilds/:guildId/members/:userId', ({ ids }) => ok(memberOf(ids.userId))),
    // Discord: "Modify Current Member".
    guildRoute('PATCH', '/guilds/:guildId/members/@me', ({ body }) => {
      const { nick, ...pictures } = validate(ownMember, body);
      if (nick !== undefined && !state.hasPermission(state.bot.id, 'changeNickname')) {
        throw errorResponse.missingPermissions();
      }
      const hashes = Object.entries(pictures).map(([name, picture]) => [name, picture && hashOf(picture)]);
      const own = { ...memberOf(state.bot.id), ...(nick !== undefined && { nick: nick || null }) };
      state.updateMember({ ...own, ...Object.fromEntries(hashes) });
      return ok(memberOf(state.bot.id));
    }),
    guildRoute('PUT', rolePath, ({ ids }) => done(changeRole(ids, true))),
    guildRoute('DELETE', rolePath, ({ ids }) => done(changeRole(ids, false))),
  ];
}
