import type { Clock } from '@tallyhook/platform/clock';
import { targetOfQueue } from './queue.ts';
import { createTimetable } from './timetable.ts';

export type QueueRotation = ReturnType<typeof createQueueRotation>;

/** Attempts at one time, of all communities together: each needs a connection to Discord and one to the database. */
const maxAttempts = 8;
/** A slow response of Discord holds up few queues. */
const maxAttemptsPerCommunity = 4;
/** A community without a running attempt never waits for those of others, up to this number. */
const maxAttemptsWithFirsts = 64;

interface Community {
  /** In the order of their turns. */
  readonly ready: Set<string>;
  running: number;
}

/**
 * The queues of the outbox that may have due effects, so that a poll reads one queue and not the backlog of all.
 * Communities take turns, and so do the queues of each, however many queues or effects another one has. In memory only:
 * what is missing is found by the discovery.
 *
 * Pauses use monotonic time, due times the wall clock. After a restart Discord reports its limits again.
 * @param communityOf whose turn a queue takes; the same one for all by default
 * @param attemptsPerQueue how many attempts on one queue may run at one time
 */
export function createQueueRotation(
  { now, monotonic }: Pick<Clock, 'now' | 'monotonic'>,
  communityOf: (queue: string) => string = () => '',
  attemptsPerQueue = 1,
) {
  /** Those with ready queues or running attempts; in the order of their turns. */
  const communities = new Map<string, Community>();
  const communityPauses = createTimetable();
  const pausedNames = new Set<string>();
  /** Running attempts by queue, with the name of its community, because that may change. */
  const running = new Map<string, { readonly name: string; attempts: number }>();
  let attempts = 0;
  /** Queues that are to be added after a running attempt. */
  const addedWhileRunning = new Set<string>();
  const dueTimes = createTimetable();
  const pauseEnds = createTimetable();

  function addElapsed(): void {
    const time = monotonic();
    for (const queue of pauseEnds.takeUntil(time)) add(queue);
    for (const name of communityPauses.takeUntil(time)) pausedNames.delete(name);
    for (const queue of dueTimes.takeUntil(now())) add(queue);
  }

  /**
   * Adds a queue at the end of its community, unless it is already there or paused. While as many attempts on it are
   * running as may, it is added after one of them. Returns whether it was added now.
   */
  function add(queue: string): boolean {
    if (pauseEnds.has(queue)) return false;
    if ((running.get(queue)?.attempts ?? 0) >= attemptsPerQueue) {
      addedWhileRunning.add(queue);
      return false;
    }
    const name = running.get(queue)?.name ?? communityOf(queue);
    const community = communities.get(name) ?? { ready: new Set(), running: 0 };
    if (community.ready.has(queue)) return false;
    community.ready.add(queue);
    communities.set(name, community);
    return true;
  }

  /** The community whose turn it is. */
  function nextCommunity(): readonly [string, Community] | undefined {
    if (attempts >= maxAttemptsWithFirsts * attemptsPerQueue) return undefined;
    for (const entry of communities) {
      const [name, community] = entry;
      if (community.ready.size === 0 || pausedNames.has(name)) continue;
      const limit = attempts < maxAttempts * attemptsPerQueue ? maxAttemptsPerCommunity * attemptsPerQueue : 1;
      if (community.running < limit) return entry;
    }
    return undefined;
  }

  function deleteIdle(name: string, { ready, running }: Community): void {
    if (ready.size === 0 && running === 0) communities.delete(name);
  }

  return {
    /** Whether `next` would return a queue without waiting for a time. */
    get hasNext() {
      return nextCommunity() !== undefined;
    },
    /** The number of communities that are paused. */
    get pausedCommunities() {
      return pausedNames.size;
    },
    add,
    /** Adds a queue once the time is `dueAt` (ms since the epoch). Replaces an earlier call for the queue. */
    addAt(queue: string, dueAt: number): void {
      dueTimes.set(queue, dueAt);
    },
    /** Skips a queue for `ms`, because Discord rate-limits it, and then adds it. */
    pause(queue: string, ms: number): void {
      pauseEnds.set(queue, monotonic() + ms);
      addedWhileRunning.delete(queue);
      const name = communityOf(queue);
      const community = communities.get(name);
      if (community?.ready.delete(queue)) deleteIdle(name, community);
    },
    /** Ends the pauses of the queues with a target and adds them; returns whether any was paused. */
    resume(target: string): boolean {
      const paused = pauseEnds.names().filter((queue) => targetOfQueue(queue) === target);
      for (const queue of paused) {
        pauseEnds.delete(queue);
        add(queue);
      }
      return paused.length > 0;
    },
    /** Skips all queues of the same community for `ms`. */
    pauseCommunity(queue: string, ms: number): void {
      const name = running.get(queue)?.name ?? communityOf(queue);
      pausedNames.add(name);
      communityPauses.set(name, monotonic() + ms);
    },
    /** Ends the pauses of communities. */
    resumeCommunities(): void {
      communityPauses.takeUntil(Number.POSITIVE_INFINITY);
      pausedNames.clear();
    },
    /**
     * Adds the queues whose time has come, then removes the one whose turn it is for an attempt, which ends with
     * `finish`; undefined when no other attempt may start now.
     */
    next(): string | undefined {
      addElapsed();
      const [name, community] = nextCommunity() ?? [];
      if (name === undefined || community === undefined) return undefined;
      const [queue] = community.ready;
      if (queue === undefined) return undefined;
      community.ready.delete(queue);
      dueTimes.delete(queue);
      community.running += 1;
      attempts += 1;
      running.set(queue, { name, attempts: (running.get(queue)?.attempts ?? 0) + 1 });
      // To the end of the turns.
      communities.delete(name);
      communities.set(name, community);
      return queue;
    },
    /** An attempt on the queue has ended. */
    finish(queue: string): void {
      const current = running.get(queue);
      if (current !== undefined) {
        const { name } = current;
        const community = communities.get(name);
        attempts -= 1;
        current.attempts -= 1;
        if (current.attempts === 0) running.delete(queue);
        if (community !== undefined) {
          community.running -= 1;
          deleteIdle(name, community);
        }
      }
      if (addedWhileRunning.delete(queue)) add(queue);
    },
    /** Time until a queue is added (ms); infinite when none is postponed or paused. */
    msUntilNext: () =>
      Math.min(Math.min(pauseEnds.earliest(), communityPauses.earliest()) - monotonic(), dueTimes.earliest() - now()),
  };
}
