const kind = 'role';

/**
 * The queue of the changes of one role that wait because Discord rejects all of them; the others of the guild are in a
 * queue without a role.
 */
export function stoppedRoleQueue(guildId: string, roleId: string): string {
  return `${kind} ${guildId} ${roleId}`;
}

/** The queue of the role changes of a guild that a queue of one role belongs to; any other queue itself. */
export function withoutRole(queue: string): string {
  const [first, guildId, roleId] = queue.split(' ');
  return first === kind && roleId !== undefined ? `${kind} ${guildId}` : queue;
}

/** Whether all effects of a queue are about one role. */
export function isOfRole(queue: string): boolean {
  return withoutRole(queue) !== queue;
}
