/** The queue of a member's linked roles: Discord limits the updates of each member. */
export function roleConnectionQueue(userId: string): string {
  return `link ${userId}`;
}
