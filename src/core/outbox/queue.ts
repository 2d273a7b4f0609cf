import type { CommunityId } from '../ledger/account.ts';

/**
 * The target that the effects of a queue share: the channel that they are posted to, the guild whose roles change, one
 * role that Discord rejects, the guild whose members are asked for, the member who gets direct messages or linked
 * roles, a kind of handlers, the goals of a party, the prizes or the raffles of a community, the listing whose site
 * confirms votes, the community whose deliveries are replayed, or an endpoint that hears of events.
 */
export type QueueType = keyof typeof lanes;

/**
 * The lane of each type of queue: queues of one lane share limits and outages, so that a slow handler, or one that fails,
 * delays no other lane.
 */
const lanes = {
  channel: 'discord',
  roles: 'discord',
  role: 'discord',
  connection: 'discord',
  party: 'discord',
  prize: 'discord',
  raffle: 'discord',
  // A reminder asks the listing service before it is sent.
  dm: 'members',
  membership: 'members',
  handler: 'handlers',
  webhook: 'webhooks',
  confirmation: 'ledger',
  replay: 'ledger',
} as const;

export type LaneName = (typeof lanes)[keyof typeof lanes];

export const laneNames: readonly LaneName[] = [...new Set(Object.values(lanes))];

/** True if effects of the lane need Discord, so that they wait for the end of its outage. */
export function reachesDiscord(lane: LaneName): boolean {
  return lane === 'discord' || lane === 'members';
}

/** A queue of a type that only a newer version knows is in the lane of channels. */
export function laneOfQueue(name: string): LaneName {
  return lanes[parseQueue(name).type] ?? lanes.channel;
}

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

/** The target of a circuit, whatever the community: a channel or a guild's roles, which Discord limits as one. */
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

/** A pattern of SQL for the queues of a type with an id, of any community. */
export function queuesLike(type: QueueType, id: string): string {
  return `${type} % ${id}`;
}

/** A pattern of SQL for all queues of a type but channels. */
export function queuesOfType(type: Exclude<QueueType, 'channel'>): string {
  return `${type} %`;
}

/** The queues of a type are between these texts, both exclusive, in the order of their names. */
export function rangeOfType(type: QueueType): readonly [after: string, before: string] {
  return [`${type} `, `${type}!`];
}

/** The community whose turn a queue takes in the outbox. The same for all queues if there is one community. */
export function communityOfQueues(directory: { readonly communities: readonly unknown[] }): (queue: string) => string {
  return (queue) => (directory.communities.length < 2 ? '' : String(parseQueue(queue).communityId));
}
