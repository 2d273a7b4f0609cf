import { optionType } from './command-schema.ts';
import type { Select } from './component-schema.ts';
import { reject } from './errors.ts';
import { type Channel, type GuildPlace, isInGuild, type Member, type Role, type User } from './objects.ts';

/** The lookups that resolving ids needs; `DiscordState` implements it. */
export interface Directory {
  readonly bot: User;
  readonly roles: readonly Role[];
  readonly members: ReadonlyMap<string, Member>;
  readonly channels: ReadonlyMap<string, Channel>;
  user(id: string): User | undefined;
  permissionsOf(userId: string, channel?: GuildPlace): bigint;
}

/** Users, members, channels and roles by their ids. Discord: "Resolved Data Structure". */
export type Resolved = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The member who acts, and whether in the guild: direct messages have no guild members. */
export interface Actor {
  readonly directory: Directory;
  readonly userId: string;
  readonly inGuild: boolean;
}

/** The objects behind ids, of command options of these types; unknown ids are omitted. */
export function resolveReferences(actor: Actor, references: readonly { type: number; id: string }[]): Resolved {
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
    if (type === optionType.channel && channel && isInGuild(channel)) channels[id] = partialChannel(actor, channel);
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
function partialChannel({ directory, userId }: Actor, channel: GuildPlace) {
  const { permission_overwrites: _overwrites, ...rest } = { permission_overwrites: [], ...channel };
  return {
    ...rest,
    permissions: String(directory.permissionsOf(userId, channel)),
    app_permissions: String(directory.permissionsOf(directory.bot.id, channel)),
  };
}

/** Discord: "Component Types". */
const selectType = { string: 3, user: 5, role: 6, mentionable: 7, channel: 8 } as const;

/** The command option type that refers to the same kind of object. */
const optionTypeOf: Readonly<Record<number, number>> = {
  [selectType.user]: optionType.user,
  [selectType.role]: optionType.role,
  [selectType.mentionable]: optionType.mentionable,
  [selectType.channel]: optionType.channel,
};

/** Checks the values that a member has selected. @throws RejectedByClientError */
export function checkSelection(
  kind: 'field' | 'select',
  values: readonly string[],
  [min, max]: readonly [number, number],
  isOffered: (value: string) => boolean,
): void {
  if (values.length < min || values.length > max)
    reject('picked_too_many_or_few', `The ${kind} requires ${min} to ${max} values`);
  if (new Set(values).size < values.length) reject('picked_twice', 'A value is selected twice');
  if (!values.every(isOffered)) reject('not_offered', `The ${kind} does not have this option`);
}

/** Checks a member's selection and resolves its ids. @throws RejectedByClientError */
export function resolveSelection(
  actor: Actor,
  select: Select,
  values: readonly string[],
  minValues: number = select.min_values ?? 1,
): Resolved {
  checkSelection('select', values, [minValues, select.max_values ?? 1], (value) => isOffered(actor, select, value));
  const type = optionTypeOf[select.type];
  const references = type === undefined ? [] : values.map((id) => ({ type, id }));
  return resolveReferences(actor, references);
}

/** In direct messages, the client offers the two users and nothing of the guild. */
function isOffered({ directory, userId, inGuild }: Actor, select: Select, value: string): boolean {
  const isUser = inGuild ? directory.members.has(value) : [userId, directory.bot.id].includes(value);
  const isRole = inGuild && directory.roles.some(({ id }) => id === value);
  switch (select.type) {
    case selectType.string:
      return select.options.some((option) => option.value === value);
    case selectType.user:
      return isUser;
    case selectType.role:
      return isRole;
    case selectType.mentionable:
      return isUser || isRole;
    default: {
      const channel = directory.channels.get(value);
      if (!inGuild || channel === undefined || !isInGuild(channel)) return false;
      return !select.channel_types?.length || select.channel_types.includes(channel.type);
    }
  }
}
