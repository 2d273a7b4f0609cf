/** The queue of the direct messages to a member from a community; `''` is the home community, whose queues have no guild. */
export function directMessageQueue(userId: string, guildId: string): string {
  return guildId === '' ? `dm ${userId}` : `dm ${userId} ${guildId}`;
}
