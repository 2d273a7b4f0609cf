import { optionType } from './command-schema.ts';
import type { Channel, GuildChannel, Member, Role, User } from './objects.ts';

/** The lookups that resolving ids needs; `DiscordState` implements it. */
export interface Directory {
  readonly bot: User;
  readonly roles: readonly Role[];
  readonly members: ReadonlyMap<string, Member>;
  readonly channels: ReadonlyMap<string, Channel>;
  user(id: string): User | undefined;
  permissionsOf(userId: string, channel?: GuildChannel): bigint;
}

/** Users, members, channels and roles by their ids. Discord: "Resolved Data Structure". */
export type Resolved = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** An id, with the command option type that says what it refers to. */
export interface Reference {
  readonly type: number;
  readonly id: string;
}

/** The member who acts, and whether in the guild: direct messages have no guild members. */
export interface Actor {
  readonly directory: Directory;
  readonly userId: string;
  readonly inGuild: boolean;
}

/** The objects behind the ids; unknown ids are omitted. */
export function resolveReferences(actor: Actor, references: readonly Reference[]): Resolved {
  const { directory, inGuild } = actor;
  const users: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  const channels: Record<string, unknown> = {};
  const roles: Record<string, unknown> = {};
  for (const { type, id } of references) {
    const user = type === optionType.user || type === optionType.mentionable ? directory.user(id) : undefined;
    const member = directory.members.get(id);
    if (user !== undefined) {
      users[id] = user;
      if (inGuild && member !== undefined) members[id] = partialMember(directory, member);
    }
    const channel = directory.channels.get(id);
    if (type === optionType.channel && channel?.type === 0) channels[id] = partialChannel(actor, channel);
    if (type === optionType.role || type === optionType.mentionable) {
      const role = directory.roles.find((each) => each.id === id);
      if (role !== undefined) roles[id] = role;
    }
  }
  const nonEmpty = Object.entries({ users, members, channels, roles }).filter(
    ([, items]) => Object.keys(items).length > 0,
  );
  return Object.fromEntries(nonEmpty);
}

/** "Partial Member objects are missing user, deaf and mute fields." */
function partialMember(directory: Directory, { user, deaf: _deaf, mute: _mute, ...rest }: Member) {
  return { ...rest, permissions: String(directory.permissionsOf(user.id)) };
}

/** A channel with the resulting permissions of the member and the bot instead of its overwrites. */
function partialChannel({ directory, userId }: Actor, channel: GuildChannel) {
  const { permission_overwrites: _overwrites, ...rest } = channel;
  return {
    ...rest,
    permissions: String(directory.permissionsOf(userId, channel)),
    app_permissions: String(directory.permissionsOf(directory.bot.id, channel)),
  };
}
