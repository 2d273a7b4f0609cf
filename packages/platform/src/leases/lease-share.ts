import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { second } from '../durations.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { createLoop } from '../loop.ts';
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

/** The slots of a group that this process holds, of which it gets a fair share. */
export type LeaseShare = ReturnType<typeof createLeaseShare>;

/**
 * Shares the slots of a group among all processes that call this: each slot is held by at most one of them, by each about
 * as many. Free slots are taken at once, those of a crashed process within 12 s.
 *
 * Why there are never two holders: a process acts for {@link validForMs} after it sent a renewal. Another one removes it
 * only after watching the same beat for {@link holderTtlMs}, by its own monotonic clock, and it saw that beat later than
 * the renewal was sent. The removal fails if there was a beat meanwhile. No wall clock is compared with another.
 */
export function createLeaseShare(options: {
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
}) {
  const { store, group, clock, log, onChange, beforeRelease = async () => {} } = options;
  const watch = createHolderWatch(clock);
  let holder: string = randomUUID();
  let hasJoined = false;
  let { size } = options;
  let held: ReadonlySet<number> = new Set();
  let validUntil = Number.NEGATIVE_INFINITY;
  let processes = 1;
  /** Until the next renewal. */
  let pauseMs = errorRetryMs;

  const isValid = () => clock.monotonic() < validUntil;

  function setHeld(slots: Iterable<number>): void {
    held = new Set(slots);
    onChange();
  }

  /** After this process was removed: others may hold its slots already. */
  function forgetLeases(): void {
    holder = randomUUID();
    hasJoined = false;
    validUntil = Number.NEGATIVE_INFINITY;
    if (held.size > 0) log.warn({ group }, 'leases were lost, because they could not be renewed in time');
    setHeld([]);
  }

  async function release(slots: readonly number[]): Promise<void> {
    setHeld([...held].filter((slot) => !slots.includes(slot)));
    await beforeRelease(slots);
    await store.release(group, holder, slots);
  }

  /** One renewal, and what follows from what it found. Returns whether the next one follows at once. */
  async function renew(signal: AbortSignal): Promise<boolean> {
    pauseMs = errorRetryMs;
    if (!hasJoined) {
      await store.join(group, holder, size);
      hasJoined = true;
    }
    const sentAt = clock.monotonic();
    const state = await store.renew(group, holder);
    if (state === null) {
      forgetLeases();
      return true;
    }
    validUntil = sentAt + validForMs;
    const { live, dead, nextCheckMs } = watch(state.holders, holder);
    for (const { id, beat } of dead) await store.remove(id, beat);
    if (live.length !== processes) {
      processes = live.length;
      onChange();
    }
    const hasMore = await balance(dead.length > 0 ? withoutHolders(state, dead) : state, live, signal);
    pauseMs = Math.min(renewEveryMs, nextCheckMs);
    return hasMore;
  }

  /** Returns whether there is more to do at once. */
  async function balance(state: LeaseGroup, live: readonly string[], signal: AbortSignal): Promise<boolean> {
    const own = state.leases.filter((lease) => lease.holder === holder);
    if (state.size !== size || own.some((lease) => lease.size !== size)) {
      size = state.size;
      // All slots have another meaning now.
      await release([...held, ...own.map(({ slot }) => slot)]);
      return true;
    }
    // They differ if an earlier change was committed although it seemed to fail.
    if (own.length !== held.size) setHeld(own.map(({ slot }) => slot));
    const excess = held.size - fairShare(state, live, holder);
    if (excess > 0) await release([...held].sort((a, b) => a - b).slice(-excess));
    if (excess >= 0 || signal.aborted) return false;
    const taken = new Set(state.leases.map(({ slot }) => slot));
    const slots = Array.from({ length: size }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    if (slots.length === 0) return false;
    const added = await store.take(group, holder, { size, slots, limit: -excess });
    if (added.length > 0) setHeld([...held, ...added]);
    return false;
  }

  const loop = createLoop({
    round: renew,
    pauseMs: () => pauseMs,
    onError(error, isRepeated) {
      if (!isRepeated) log.warn({ group, reason: messageOf(error) }, 'leases could not be renewed; retrying');
    },
    clock,
  });

  return {
    /** Whether this process holds the slot now. False as soon as its leases could not be renewed in time. */
    holds: (slot: number) => held.has(slot) && isValid(),
    /** The held slots; empty as soon as they could not be renewed in time. */
    slots: (): readonly number[] => (isValid() ? [...held] : []),
    /** Whether this process has renewed its membership in time, with or without slots. */
    isMember: isValid,
    /** The number of slots of the group. */
    size: () => size,
    /** The number of live processes in the group, at least 1. */
    processes: () => processes,
    /** The id of this process in the group; another one after its leases were lost. */
    holder: () => holder,
    start: loop.start,
    /** Changes the number of slots for all processes. Rejects as {@link LeaseStore} does. */
    resize: (newSize: number) => store.resize(group, newSize),
    /** Gives all slots back, so that other processes take them at once. Takes at most 1 s. Does not call `beforeRelease`. */
    async stop(): Promise<void> {
      const stopped = loop.stop();
      held = new Set();
      const leaving = (async () => {
        await stopped;
        held = new Set();
        await store.remove(holder, null);
      })();
      await settleWithin(leaveTimeoutMs, clock, leaving);
    },
  };
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
