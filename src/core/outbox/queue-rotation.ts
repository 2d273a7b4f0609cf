import type { Clock } from '@tallyhook/platform/clock';
import { targetOfQueue } from './queue.ts';

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
 */
export class QueueRotation {
  /** The communities with ready queues or running attempts, in the order of their turns. */
  readonly #communities = new Map<string, Community>();
  readonly #communityPauses = new Timetable();
  readonly #pausedNames = new Set<string>();
  /** Running attempts by queue, with the name of its community, because that may change. */
  readonly #running = new Map<string, { readonly name: string; attempts: number }>();
  #attempts = 0;
  /** Queues that are to be added after a running attempt. */
  readonly #addedWhileRunning = new Set<string>();
  readonly #dueTimes = new Timetable();
  readonly #pauseEnds = new Timetable();
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #communityOf: (queue: string) => string;
  readonly #attemptsPerQueue: number;
  readonly #isOneByOne: (queue: string) => boolean;

  /**
   * @param communityOf whose turn a queue takes; the same one for all by default
   * @param attemptsPerQueue how many attempts on one queue may run at one time
   * @param isOneByOne whether only one may run on a queue now; by default never
   */
  constructor(
    clock: Pick<Clock, 'now' | 'monotonic'>,
    communityOf: (queue: string) => string = () => '',
    attemptsPerQueue = 1,
    isOneByOne: (queue: string) => boolean = () => false,
  ) {
    this.#clock = clock;
    this.#communityOf = communityOf;
    this.#attemptsPerQueue = attemptsPerQueue;
    this.#isOneByOne = isOneByOne;
  }

  /** True if `next` would return a queue without waiting for a time. */
  get hasNext(): boolean {
    return this.#nextCommunity() !== undefined;
  }

  /** The number of communities that are paused. */
  get pausedCommunities(): number {
    return this.#pausedNames.size;
  }

  /**
   * Adds a queue at the end of its community, unless it is already there or paused. While as many attempts on it are
   * running as may, it is added after one of them. Returns whether it was added now.
   */
  add(queue: string): boolean {
    if (this.#pauseEnds.has(queue)) return false;
    const running = this.#running.get(queue);
    if ((running?.attempts ?? 0) >= (this.#isOneByOne(queue) ? 1 : this.#attemptsPerQueue)) {
      this.#addedWhileRunning.add(queue);
      return false;
    }
    const name = running?.name ?? this.#communityOf(queue);
    const community = this.#communities.get(name) ?? { ready: new Set(), running: 0 };
    if (community.ready.has(queue)) return false;
    community.ready.add(queue);
    this.#communities.set(name, community);
    return true;
  }

  /** Adds a queue once the time is `dueAt` (ms since the epoch). Replaces an earlier call for the queue. */
  addAt(queue: string, dueAt: number): void {
    this.#dueTimes.set(queue, dueAt);
  }

  /** Skips a queue for `ms`, because Discord rate-limits it, and then adds it. */
  pause(queue: string, ms: number): void {
    this.#pauseEnds.set(queue, this.#clock.monotonic() + ms);
    this.#addedWhileRunning.delete(queue);
    const name = this.#communityOf(queue);
    const community = this.#communities.get(name);
    if (community?.ready.delete(queue)) this.#deleteIdle(name, community);
  }

  /** Ends the pauses of the queues with a target and adds them; returns whether any was paused. */
  resume(target: string): boolean {
    const paused = this.#pauseEnds.names().filter((queue) => targetOfQueue(queue) === target);
    for (const queue of paused) {
      this.#pauseEnds.delete(queue);
      this.add(queue);
    }
    return paused.length > 0;
  }

  /** Skips all queues of the same community for `ms`. */
  pauseCommunity(queue: string, ms: number): void {
    const name = this.#running.get(queue)?.name ?? this.#communityOf(queue);
    this.#pausedNames.add(name);
    this.#communityPauses.set(name, this.#clock.monotonic() + ms);
  }

  /** Ends the pauses of communities. */
  resumeCommunities(): void {
    this.#communityPauses.takeUntil(Number.POSITIVE_INFINITY);
    this.#pausedNames.clear();
  }

  /**
   * Adds the queues whose time has come, then removes the one whose turn it is for an attempt, which ends with
   * `finish`; undefined when no other attempt may start now.
   */
  next(): string | undefined {
    this.#addElapsed();
    const [name, community] = this.#nextCommunity() ?? [];
    if (name === undefined || community === undefined) return undefined;
    const [queue] = community.ready;
    if (queue === undefined) return undefined;
    community.ready.delete(queue);
    this.#dueTimes.delete(queue);
    community.running += 1;
    this.#attempts += 1;
    this.#running.set(queue, { name, attempts: (this.#running.get(queue)?.attempts ?? 0) + 1 });
    // To the end of the turns.
    this.#communities.delete(name);
    this.#communities.set(name, community);
    return queue;
  }

  /** An attempt on the queue has ended. */
  finish(queue: string): void {
    const current = this.#running.get(queue);
    if (current !== undefined) {
      const { name } = current;
      const community = this.#communities.get(name);
      this.#attempts -= 1;
      current.attempts -= 1;
      if (current.attempts === 0) this.#running.delete(queue);
      if (community !== undefined) {
        community.running -= 1;
        this.#deleteIdle(name, community);
      }
    }
    if (this.#addedWhileRunning.delete(queue)) this.add(queue);
  }

  /** Time until a queue is added (ms); infinite when none is postponed or paused. */
  msUntilNext(): number {
    const pauseEnd = Math.min(this.#pauseEnds.earliest, this.#communityPauses.earliest);
    return Math.min(pauseEnd - this.#clock.monotonic(), this.#dueTimes.earliest - this.#clock.now());
  }

  #addElapsed(): void {
    const time = this.#clock.monotonic();
    for (const queue of this.#pauseEnds.takeUntil(time)) this.add(queue);
    for (const name of this.#communityPauses.takeUntil(time)) this.#pausedNames.delete(name);
    for (const queue of this.#dueTimes.takeUntil(this.#clock.now())) this.add(queue);
  }

  /** The community whose turn it is. */
  #nextCommunity(): readonly [string, Community] | undefined {
    const factor = this.#attemptsPerQueue;
    if (this.#attempts >= maxAttemptsWithFirsts * factor) return undefined;
    for (const entry of this.#communities) {
      const [name, community] = entry;
      if (community.ready.size === 0 || this.#pausedNames.has(name)) continue;
      const limit = this.#attempts < maxAttempts * factor ? maxAttemptsPerCommunity * factor : 1;
      if (community.running < limit) return entry;
    }
    return undefined;
  }

  #deleteIdle(name: string, { ready, running }: Community): void {
    if (ready.size === 0 && running === 0) this.#communities.delete(name);
  }
}

/** Names with a time each. Finding out that none is due takes constant time, however many there are. */
class Timetable {
  readonly #times = new Map<string, number>();
  #earliest = Number.POSITIVE_INFINITY;

  /** No name has an earlier time; infinite if there are no names. May be earlier than all of them after a removal. */
  get earliest(): number {
    return this.#earliest;
  }

  has(name: string): boolean {
    return this.#times.has(name);
  }

  names(): readonly string[] {
    return [...this.#times.keys()];
  }

  /** Replaces an earlier time of the name. */
  set(name: string, at: number): void {
    this.#times.set(name, at);
    this.#earliest = Math.min(this.#earliest, at);
  }

  delete(name: string): void {
    this.#times.delete(name);
    if (this.#times.size === 0) this.#earliest = Number.POSITIVE_INFINITY;
  }

  /** Removes and returns the names whose time is not after `time`. */
  takeUntil(time: number): readonly string[] {
    if (time < this.#earliest) return [];
    const taken: string[] = [];
    this.#earliest = Number.POSITIVE_INFINITY;
    for (const [name, at] of this.#times) {
      if (at <= time) taken.push(name);
      else this.#earliest = Math.min(this.#earliest, at);
    }
    for (const name of taken) this.#times.delete(name);
    return taken;
  }
}
