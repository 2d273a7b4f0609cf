import type { CommunityId } from '../ledger/account.ts';

const kind = 'dm';

/** The queue of the direct messages to a member from a community; with `%` the `LIKE` pattern of those of all. */
export function directMessageQueue(userId: string, communityId: CommunityId | '%'): string {
  return `${kind} ${userId} ${communityId}`;
}

/** Whose direct messages are in a queue, and from which community; null for a queue of something else. */
export function recipientOf(queue: string): { readonly userId: string; readonly communityId: CommunityId } | null {
  const [first, userId, communityId] = queue.split(' ');
  if (first !== kind || userId === undefined) return null;
  return { userId, communityId: Number(communityId) as CommunityId };
}
