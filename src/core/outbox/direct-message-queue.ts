const kind = 'dm';

/** The queue of the direct messages to a member from a community; `''` is the home community, whose queues have no guild. */
export function directMessageQueue(userId: string, guildId: string): string {
  return guildId === '' ? `${kind} ${userId}` : `${kind} ${userId} ${guildId}`;
}

/** Whose direct messages are in a queue, and from which community (`''` at home); null for a queue of something else. */
export function recipientOf(queue: string): { readonly userId: string; readonly guildId: string } | null {
  const [first, userId, guildId = ''] = queue.split(' ');
  return first === kind && userId !== undefined ? { userId, guildId } : null;
}
