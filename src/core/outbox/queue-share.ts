import type { Clock } from '@tallyhook/platform/clock';
import { LeaseShare } from '@tallyhook/platform/leases/lease-share';
import type { LeaseStore } from '@tallyhook/platform/leases/lease-store';
import type { Log } from '@tallyhook/platform/log';
import { maxRequestsPerSecond } from '../../discord/rest.ts';
import { parseQueue, targetOfQueue } from './queue.ts';

/** Enough for the processes to have about the same number each; never changed while processes are running. */
const partitions = 64;

/** The queues of the outbox that this process processes: one process at a time posts to a channel. */
export interface QueueShare {
  isOwn(queue: string): boolean;
  /** The number of live processes that process the outbox, at least 1. */
  processes(): number;
  /** @param onChange called when this process may have got other queues. Must not throw */
  start(onChange: () => void): void;
  /** Lets other processes take over at once. */
  stop(): Promise<void>;
}

/** @param leases null if there are no other processes: then every queue is its own */
export function createQueueShare(
  leases: LeaseStore | null,
  options: { readonly clock: Clock; readonly log: Log },
): QueueShare {
  let onChange = () => {};
  if (leases === null) return { isOwn: () => true, processes: () => 1, start() {}, async stop() {} };
  const share = new LeaseShare({
    store: leases,
    group: 'announce',
    size: partitions,
    onChange: () => onChange(),
    ...options,
  });
  return {
    isOwn: (queue) => share.holds(partitionOf(limitOf(queue), share.size())),
    processes: () => share.processes(),
    start(listener) {
      onChange = listener;
      share.start();
    },
    stop: () => share.stop(),
  };
}

/** The rate limit of a queue on Discord, across communities: all role changes of a guild have one. */
function limitOf(queue: string): string {
  const { type, id } = parseQueue(queue);
  return type === 'role' ? `role ${id.split(' ')[0]}` : targetOfQueue(queue);
}

/** The partition of a queue: the same in every process and version. @param partitions their number */
function partitionOf(queue: string, partitions: number): number {
  // FNV-1a: names of queues differ in few characters.
  let hash = 0x811c9dc5;
  for (let index = 0; index < queue.length; index += 1) {
    hash = Math.imul(hash ^ queue.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}

/** Requests per second for processes that process no outbox: they send few. */
const reservedRequestsPerSecond = 5;

/**
 * The share of this process in the bot's 50 requests per second.
 * @param announcing the number of processes that process the outbox; null if this is not one of them
 */
export function shareOfRequests(isShared: boolean, announcing: number | null): number {
  if (!isShared) return maxRequestsPerSecond;
  if (announcing === null) return reservedRequestsPerSecond;
  return Math.max(1, Math.floor((maxRequestsPerSecond - reservedRequestsPerSecond) / announcing));
}
