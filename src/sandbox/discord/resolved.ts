import { optionType } from './command-schema.ts';
import type { DiscordState } from './discord-state.ts';
import type { GuildChannel, Member } from './objects.ts';

/** Users, members, channels and roles by their ids. Discord: "Resolved Data Structure". */
export type Resolved = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Something that was named by its id, as an option of that type would name it. */
export interface Reference {
  readonly type: number;
  readonly id: string;
}

/** Who names it, and whether in the guild: a direct conversation knows no members. */
export interface Actor {
  readonly state: DiscordState;
  readonly userId: string;
  readonly inGuild: boolean;
}

/** What stands behind the ids; only what there is. */
export function resolveReferences(actor: Actor, references: readonly Reference[]): Resolved {
  const { state, inGuild } = actor;
  const users: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  const channels: Record<string, unknown> = {};
  const roles: Record<string, unknown> = {};
  for (const { type, id } of references) {
    const member = state.members.get(id);
    if ((type === optionType.user || type === optionType.mentionable) && member !== undefined) {
      users[id] = member.user;
      if (inGuild) members[id] = partialMember(state, member);
    }
    const channel = state.channels.get(id);
    if (type === optionType.channel && channel?.type === 0) channels[id] = partialChannel(actor, channel);
    if (type === optionType.role || type === optionType.mentionable) {
      const role = state.roles.find((each) => each.id === id);
      if (role !== undefined) roles[id] = role;
    }
  }
  const nonEmpty = Object.entries({ users, members, channels, roles }).filter(
    ([, items]) => Object.keys(items).length > 0,
  );
  return Object.fromEntries(nonEmpty);
}

/** "Partial Member objects are missing user, deaf and mute fields." */
function partialMember(state: DiscordState, { user, deaf: _deaf, mute: _mute, ...rest }: Member) {
  return { ...rest, permissions: String(state.permissionsOf(user.id)) };
}

/** A channel without its overwrites, but with what they come to for the two who meet in it. */
function partialChannel({ state, userId }: Actor, channel: GuildChannel) {
  const { permission_overwrites: _overwrites, ...rest } = channel;
  return {
    ...rest,
    permissions: String(state.permissionsOf(userId, channel)),
    app_permissions: String(state.permissionsOf(state.bot.id, channel)),
  };
}
