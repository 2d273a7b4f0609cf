import { optionType } from './command-form.ts';
import type { World } from './world.ts';

/** Users, members, channels and roles by their ids. Discord: "Resolved Data Structure". */
export type Resolved = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Something that was named by its id, as an option of that type would name it. */
export interface Named {
  readonly type: number;
  readonly id: string;
}

/** What stands behind the ids; only what there is. Members come without their user, which stands beside them. */
export function resolvedIn(world: World, named: readonly Named[]): Resolved {
  const users: Record<string, unknown> = {};
  const members: Record<string, unknown> = {};
  const channels: Record<string, unknown> = {};
  const roles: Record<string, unknown> = {};
  for (const { type, id } of named) {
    const member = world.members.get(id);
    if ((type === optionType.user || type === optionType.mentionable) && member !== undefined) {
      const { user, ...rest } = member;
      users[id] = user;
      members[id] = { ...rest, permissions: String(world.permissionsOf(id)) };
    }
    if (type === optionType.channel) channels[id] = world.channels.get(id);
    if (type === optionType.role || type === optionType.mentionable) {
      const role = world.roles.find((each) => each.id === id);
      if (role !== undefined) roles[id] = role;
    }
  }
  const found = Object.entries({ users, members, channels, roles }).filter(
    ([, items]) => Object.keys(items).length > 0,
  );
  return Object.fromEntries(found);
}
