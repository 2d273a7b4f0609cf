import type { CommunityId } from '../ledger/account.ts';

/**
 * What the effects of a queue have in common: the channel that they are posted to, the guild whose roles change, one role
 * that Discord rejects, the member who gets direct messages or linked roles, a kind of handlers, the goals of a party, or
 * the listing whose site confirms votes.
 */
export type QueueType = 'channel' | 'roles' | 'role' | 'dm' | 'connection' | 'handler' | 'party' | 'confirmation';

/** Effects that wait for each other, because they share a rate limit, or because one that fails delays the others. */
export interface Queue {
  readonly type: QueueType;
  /** Communities take turns. */
  readonly communityId: CommunityId;
  /** Identifies the queue within its community: Discord IDs, the name of a listing, or a kind of handlers. */
  readonly id: string;
}

declare const queueKey: unique symbol;

/**
 * A queue as it is stored: its type, its community and its id, separated by spaces. Without the type if it is a channel,
 * which almost every vote names.
 */
export type QueueName = string & { readonly [queueKey]: true };

export function queueName(type: QueueType, communityId: CommunityId, id: string): QueueName {
  return (type === 'channel' ? `${communityId} ${id}` : `${type} ${communityId} ${id}`) as QueueName;
}

export function parseQueue(name: string): Queue {
  const [type, rest] = startsWithDigit(name) ? ['channel', name] : divide(name);
  const [communityId, id] = divide(rest);
  return { type: type as QueueType, communityId: Number(communityId) as CommunityId, id };
}

function startsWithDigit(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= 48 && code <= 57;
}

function divide(text: string): readonly [first: string, rest: string] {
  const end = text.indexOf(' ');
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end + 1)];
}

/** The queue of one role of a guild, in which the effects wait that Discord rejects. */
export function roleQueueName(communityId: CommunityId, guildId: string, roleId: string): QueueName {
  return queueName('role', communityId, `${guildId} ${roleId}`);
}

/** What Discord limits or rejects together, of whatever community: the target of a circuit for channels and roles. */
export function targetOfQueue(name: string): string {
  const { type, id } = parseQueue(name);
  switch (type) {
    case 'channel':
      return id;
    case 'roles':
    case 'role':
      return `role ${id}`;
    default:
      return `${type} ${id}`;
  }
}

/** The queue in which an effect waits while Discord rejects the target of its request. */
export function stoppedQueue(name: string, target: string): QueueName {
  const { communityId } = parseQueue(name);
  if (target === targetOfQueue(name)) return name as QueueName;
  const [kind, ...ids] = target.split(' ');
  return kind === 'role' ? queueName('role', communityId, ids.join(' ')) : queueName('channel', communityId, target);
}
