import { requireLocale } from './discord-state.ts';
import type { DiscordStore } from './discord-store.ts';
import { reject } from './errors.ts';
import { intent } from './flags.ts';
import { isThread, type Member, newMember, type Role, threadType } from './objects.ts';
import { type PermissionName, permissions } from './permissions.ts';
import { startThread } from './start-thread.ts';

/** A member starts a thread. */
export interface ThreadStart {
  readonly channelId: string;
  readonly userId: string;
  readonly name: string;
  /** True if only its members see it (default: false). */
  readonly isPrivate?: boolean;
}

/** Actions of the people who run the guild, and of its members on themselves. */
export interface GuildControls {
  /** Moves a role; the roles in between make room. `position` from 1 (lowest). @throws RejectedByClientError */
  moveRole(roleId: string, position: number): void;
  /** Replaces the permissions of a role, also of @everyone. @throws RejectedByClientError */
  setRolePermissions(roleId: string, granted: readonly PermissionName[]): void;
  /** Deletes a role; its members lose it. @throws RejectedByClientError for @everyone, managed and unknown roles */
  deleteRole(roleId: string): void;
  /** A member leaves the guild and loses all roles. @throws RejectedByClientError for the owner and others */
  leave(userId: string): void;
  /** A user who has left joins again, without roles. @throws RejectedByClientError */
  rejoin(userId: string): void;
  /** The owner gives a member a role, or takes it away. @throws RejectedByClientError */
  setRole(userId: string, roleId: string, hasRole: boolean): void;
  /** Removes the bot from the guild, with its roles; removing it twice changes nothing. */
  removeBot(): void;
  /** Adds the bot again, with the roles that it had; adding it twice changes nothing. */
  addBot(): void;
  /** True if the user accepts direct messages from the bot (50007 if not). @throws RejectedByClientError */
  acceptDirectMessages(userId: string, accepted: boolean): void;
  /** Selects the language of a user's client, one of Discord's locales. @throws RejectedByClientError */
  setLocale(userId: string, locale: string): void;
  /** A member starts a thread in a channel; returns its id. @throws RejectedByClientError */
  startThread(start: ThreadStart): string;
  /** A member archives a thread, or opens it again. @throws RejectedByClientError */
  archiveThread(threadId: string, archived: boolean): void;
  /** Replaces what is denied to the bot in a channel. @throws RejectedByClientError */
  denyBot(channelId: string, denied: readonly PermissionName[]): void;
  /** Selects the guild's language. @throws RejectedByClientError if it is not a locale of Discord */
  setGuildLocale(locale: string): void;
}

export function createGuildControls(store: DiscordStore): GuildControls {
  const { state, threads } = store;
  const { guildId } = state;
  const everyone = state.roles.filter(({ id }) => id === guildId);
  let removedBot: Member | null = null;

  /** A role that can be changed: any but @everyone. */
  const roleOf = (roleId: string): Role =>
    state.roles.find(({ id }) => id === roleId && id !== guildId) ??
    reject('unknown_role', 'The guild has no such role to change');
  const memberOf = (userId: string): Member =>
    state.members.get(userId) ?? reject('unknown_user', 'The user is not a member of the guild');
  const dispatch = (name: string, data: object, requiredIntent: number) =>
    state.dispatch(name, { guild_id: guildId, ...data }, requiredIntent);

  return {
    moveRole(roleId, position) {
      const role = roleOf(roleId);
      const others = state.roles.filter(({ id }) => id !== roleId && id !== guildId);
      const before = state.roles;
      state.roles = [...everyone, ...withPositions(others.toSpliced(position - 1, 0, role))];
      for (const each of state.roles) {
        if (!before.includes(each)) dispatch('GUILD_ROLE_UPDATE', { role: each }, intent.guilds);
      }
      state.changed('members');
    },
    setRolePermissions(roleId, granted) {
      const role = state.roles.find(({ id }) => id === roleId) ?? reject('unknown_role', 'The guild has no such role');
      state.setRolePermissions(role, permissions(...granted));
    },
    deleteRole(roleId) {
      if (roleOf(roleId).managed) reject('not_permitted', 'A role of an integration cannot be deleted');
      state.roles = state.roles.filter(({ id }) => id !== roleId);
      for (const [userId, member] of state.members) {
        state.members.set(userId, { ...member, roles: member.roles.filter((id) => id !== roleId) });
      }
      dispatch('GUILD_ROLE_DELETE', { role_id: roleId }, intent.guilds);
      state.changed('members');
    },
    leave(userId) {
      const { user } = memberOf(userId);
      if (user.bot) reject('unknown_user', 'The user is not a member of the guild');
      if (userId === state.guild().owner_id) reject('not_permitted', 'The owner cannot leave the guild');
      state.members.delete(userId);
      dispatch('GUILD_MEMBER_REMOVE', { user }, intent.guildMembers);
      state.changed('members');
    },
    rejoin(userId) {
      const user = state.users.get(userId);
      if (user === undefined || state.isMember(userId))
        reject('unknown_user', 'Only a user who has left can join again');
      const member = newMember(user, state.timestamp());
      state.members.set(userId, member);
      dispatch('GUILD_MEMBER_ADD', member, intent.guildMembers);
      state.changed('members');
    },
    setRole(userId, roleId, hasRole) {
      const member = memberOf(userId);
      const { id } = roleOf(roleId);
      const others = member.roles.filter((each) => each !== id);
      state.setRoles(member, hasRole ? [...others, id] : others);
    },
    removeBot() {
      const member = state.members.get(state.bot.id);
      if (member === undefined) return;
      removedBot = member;
      state.members.delete(state.bot.id);
      // Without `unavailable`: it is not an outage.
      state.dispatch('GUILD_DELETE', { id: guildId }, intent.guilds);
      state.changed('members');
    },
    addBot() {
      if (removedBot === null || state.isMember(state.bot.id)) return;
      state.members.set(state.bot.id, { ...removedBot, joined_at: state.timestamp() });
      state.dispatch('GUILD_CREATE', state.guildCreate(0), intent.guilds);
      state.changed('members');
    },
    acceptDirectMessages: (userId, accepted) => state.setDirectMessagesAccepted(state.person(userId).id, accepted),
    setLocale: (userId, locale) => state.setLocale(state.person(userId).id, requireLocale(locale)),
    startThread({ channelId, userId, name, isPrivate = false }) {
      const channel = state.channels.get(channelId);
      if (channel?.type !== 0 || channel.guild_id !== guildId || !state.canView(memberOf(userId).user.id, channel))
        reject('unknown_channel', 'The member cannot see this channel');
      if (!state.hasPermission(userId, isPrivate ? 'createPrivateThreads' : 'createPublicThreads', channel))
        reject('not_permitted', 'The member may not start threads');
      const type = isPrivate ? threadType.private : threadType.public;
      return startThread(store, channel, { type, name, ownerId: userId }).id;
    },
    archiveThread(threadId, archived) {
      const thread = state.channels.get(threadId);
      if (!isThread(thread)) reject('unknown_channel', 'The guild has no such thread');
      threads.update(thread, { archived });
    },
    denyBot(channelId, denied) {
      const channel = state.channels.get(channelId);
      if (channel?.type !== 0) reject('unknown_channel', 'The guild has no such channel');
      state.denyBot(channel, permissions(...denied));
    },
    setGuildLocale: (locale) => state.setGuildLocale(requireLocale(locale)),
  };
}

/** The roles above @everyone, lowest first, with the positions of their order; unmoved roles are the same objects. */
export function withPositions(roles: readonly Role[]): Role[] {
  return roles.map((role, index) => (role.position === index + 1 ? role : { ...role, position: index + 1 }));
}
