const roleKind = 'role';

/** The target of the changes of one role of a guild. */
export function roleTarget(guildId: string, roleId: string): string {
  return `${roleKind} ${guildId} ${roleId}`;
}

export function isRoleTarget(target: string): boolean {
  return target.startsWith(`${roleKind} `);
}

/** The channel or role that a request changes, which Discord can reject as a whole. */
export interface RequestTarget {
  /** Identifies it: the id of the channel, or {@link roleTarget}. */
  readonly target: string;
  readonly kind: 'channel' | 'role';
  /** The id of the channel or role. */
  readonly id: string;
}

/** Null for all other requests. @param route without the version, as `Routes` of discord.js returns it */
export function targetOf(route: string): RequestTarget | null {
  const [, top, id = '', part, , last, roleId] = route.split('/');
  if (top === 'channels' && part === 'messages') return { target: id, kind: 'channel', id };
  if (top !== 'guilds' || part !== 'members' || last !== 'roles' || roleId === undefined) return null;
  return { target: roleTarget(id, roleId), kind: 'role', id: roleId };
}

/** The guild that a route names; null if it names none. */
export function guildIn(route: string): string | null {
  const [, top, id] = route.split('/');
  return top === 'guilds' && id !== undefined ? id : null;
}

/** The channel that a route names; null if it names none. */
export function channelIn(route: string): string | null {
  const [, top, id] = route.split('/');
  return top === 'channels' && id !== undefined ? id : null;
}
