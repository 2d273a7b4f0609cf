import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { second } from '../durations.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { createLoop, type Loop } from '../loop.ts';
import { settleWithin } from '../with-timeout.ts';
import { createHolderWatch, holderTtlMs } from './holder-watch.ts';
import type { LeaseGroup, LeaseStore } from './lease-store.ts';

/** Time between two renewals: each updates one row, however many slots are held. */
const renewEveryMs = 2 * second;
/**
 * How long a renewal lasts, from the time it was sent. The rest of {@link holderTtlMs} is a margin for actions that have
 * begun and for clocks that run at different speeds.
 */
export const validForMs = holderTtlMs - 2 * second;
const errorRetryMs = second / 2;
/** How long `stop` waits for the database to accept that the slots are free. Otherwise they are free after 10 s. */
const leaveTimeoutMs = second;

interface LeaseShareOptions {
  readonly store: LeaseStore;
  readonly group: string;
  /** The number of slots, unless other processes are already using another number. */
  readonly size: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when slots were taken, given back or lost, or when processes joined or left. Must not throw. */
  readonly onChange: () => void;
  /** Ends what is done with these slots before another process may take them. Must not reject. */
  readonly beforeRelease?: (slots: readonly number[]) => Promise<void>;
}

/**
 * The slots of a group that this process holds. Shares them among all processes that start one: each slot is held by at
 * most one of them, by each about as many. Free slots are taken at once, those of a crashed process within 12 s.
 *
 * Why there are never two holders: a process acts for {@link validForMs} after it sent a renewal. Another one removes it
 * only after watching the same beat for {@link holderTtlMs}, by its own monotonic clock, and it saw that beat later than
 * the renewal was sent. The removal fails if there was a beat meanwhile. No wall clock is compared with another.
 */
export class LeaseShare {
  readonly #options: LeaseShareOptions;
  readonly #watch: ReturnType<typeof createHolderWatch>;
  readonly #loop: Loop;
  #holder: string = randomUUID();
  #hasJoined = false;
  #size: number;
  #held: ReadonlySet<number> = new Set();
  /** When the last renewal ends (monotonic, ms). */
  #validUntil = Number.NEGATIVE_INFINITY;
  #processes = 1;
  /** Until the next renewal. */
  #pauseMs = errorRetryMs;

  constructor(options: LeaseShareOptions) {
    const { group, size, clock, log } = options;
    this.#options = options;
    this.#size = size;
    this.#watch = createHolderWatch(clock);
    this.#loop = createLoop({
      round: (signal) => this.#renew(signal),
      pauseMs: () => this.#pauseMs,
      onError(error, isRepeated) {
        if (!isRepeated) log.warn({ group, reason: messageOf(error) }, 'leases could not be renewed; retrying');
      },
      clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** True if this process holds the slot now. False as soon as its leases could not be renewed in time. */
  holds(slot: number): boolean {
    return this.#held.has(slot) && this.isMember();
  }

  /** The held slots; empty as soon as they could not be renewed in time. */
  slots(): readonly number[] {
    return this.isMember() ? [...this.#held] : [];
  }

  /** True if this process has renewed its membership in time, with or without slots. */
  isMember(): boolean {
    return this.#options.clock.monotonic() < this.#validUntil;
  }

  /** The number of slots of the group. */
  size(): number {
    return this.#size;
  }

  /** The number of live processes in the group, at least 1. */
  processes(): number {
    return this.#processes;
  }

  /** The id of this process in the group; another one after its leases were lost. */
  holder(): string {
    return this.#holder;
  }

  /** Changes the number of slots for all processes. Rejects as {@link LeaseStore} does. */
  resize(newSize: number): Promise<void> {
    return this.#options.store.resize(this.#options.group, newSize);
  }

  /** Gives all slots back, so that other processes take them at once. Takes at most 1 s. Does not call `beforeRelease`. */
  async stop(): Promise<void> {
    const stopped = this.#loop.stop();
    this.#held = new Set();
    const leaving = (async () => {
      await stopped;
      this.#held = new Set();
      await this.#options.store.remove(this.#holder, null);
    })();
    await settleWithin(leaveTimeoutMs, this.#options.clock, leaving);
  }

  #setHeld(slots: Iterable<number>): void {
    this.#held = new Set(slots);
    this.#options.onChange();
  }

  /** After this process was removed: others may hold its slots already. */
  #forgetLeases(): void {
    const { group, log } = this.#options;
    this.#holder = randomUUID();
    this.#hasJoined = false;
    this.#validUntil = Number.NEGATIVE_INFINITY;
    if (this.#held.size > 0) log.warn({ group }, 'leases were lost, because they could not be renewed in time');
    this.#setHeld([]);
  }

  async #release(slots: readonly number[]): Promise<void> {
    const { store, group, beforeRelease } = this.#options;
    this.#setHeld([...this.#held].filter((slot) => !slots.includes(slot)));
    await beforeRelease?.(slots);
    await store.release(group, this.#holder, slots);
  }

  /** One renewal, and what follows from what it found. Returns whether the next one follows at once. */
  async #renew(signal: AbortSignal): Promise<boolean> {
    const { store, group, clock, onChange } = this.#options;
    this.#pauseMs = errorRetryMs;
    if (!this.#hasJoined) {
      await store.join(group, this.#holder, this.#size);
      this.#hasJoined = true;
    }
    const sentAt = clock.monotonic();
    const state = await store.renew(group, this.#holder);
    if (state === null) {
      this.#forgetLeases();
      return true;
    }
    this.#validUntil = sentAt + validForMs;
    const { live, dead, nextCheckMs } = this.#watch(state.holders, this.#holder);
    for (const { id, beat } of dead) await store.remove(id, beat);
    if (live.length !== this.#processes) {
      this.#processes = live.length;
      onChange();
    }
    const hasMore = await this.#balance(dead.length > 0 ? withoutHolders(state, dead) : state, live, signal);
    this.#pauseMs = Math.min(renewEveryMs, nextCheckMs);
    return hasMore;
  }

  /** Returns whether there is more to do at once. */
  async #balance(state: LeaseGroup, live: readonly string[], signal: AbortSignal): Promise<boolean> {
    const { store, group } = this.#options;
    const holder = this.#holder;
    const own = state.leases.filter((lease) => lease.holder === holder);
    if (state.size !== this.#size || own.some((lease) => lease.size !== this.#size)) {
      this.#size = state.size;
      // All slots have another meaning now.
      await this.#release([...this.#held, ...own.map(({ slot }) => slot)]);
      return true;
    }
    // They differ if an earlier change was committed although it seemed to fail.
    if (own.length !== this.#held.size) this.#setHeld(own.map(({ slot }) => slot));
    const excess = this.#held.size - fairShare(state, live, holder);
    if (excess > 0) await this.#release([...this.#held].sort((a, b) => a - b).slice(-excess));
    if (excess >= 0 || signal.aborted) return false;
    const taken = new Set(state.leases.map(({ slot }) => slot));
    const slots = Array.from({ length: this.#size }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    if (slots.length === 0) return false;
    const added = await store.take(group, holder, { size: this.#size, slots, limit: -excess });
    if (added.length > 0) this.#setHeld([...this.#held, ...added]);
    return false;
  }
}

function withoutHolders(state: LeaseGroup, removed: readonly { readonly id: string }[]): LeaseGroup {
  const ids = new Set(removed.map(({ id }) => id));
  return { ...state, leases: state.leases.filter(({ holder }) => !ids.has(holder)) };
}

/**
 * How many slots a process should hold: all get the same number, and those that already hold the most get what is left
 * over, so that a process that joins does not move slots without need.
 * @param live the ids of the live processes
 */
function fairShare({ size, leases }: LeaseGroup, live: readonly string[], holder: string): number {
  const counts = new Map(live.map((id) => [id, 0]));
  for (const lease of leases) {
    if (lease.size === size) counts.set(lease.holder, (counts.get(lease.holder) ?? 0) + 1);
  }
  const order = live.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || (a < b ? -1 : 1));
  const position = order.indexOf(holder);
  return Math.floor(size / live.length) + Number(position < size % live.length);
}
