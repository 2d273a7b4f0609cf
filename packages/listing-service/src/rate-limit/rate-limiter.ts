import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf, StoreUnavailableError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { KeyWindow } from './key-window.ts';
import type { ReservationRules, Reservations, Reserved } from './reserve.ts';

/** A request after it was counted, or rejected. */
export interface CountedRequest {
  readonly isAllowed: boolean;
  /** How many more the key may send now. */
  readonly remaining: number;
  /** Until the oldest request leaves the window (ms), or its length without one. */
  readonly resetMs: number;
}

/** Requests that a key may make in each window (document, section 8). */
export const maxRequests = 120;
/** Length of the sliding window (ms). */
export const rateLimitWindowMs = 1 * minute;

export const defaultRules: ReservationRules = {
  limit: maxRequests,
  windowMs: rateLimitWindowMs,
  maxBlock: 30,
  blockMs: 10 * second,
};

const sweepMs = 1 * second;
/** Reservations that are stored together while requests wait. */
const sweepBatch = 50;
const sweepPauseMs = 5;
const deleteOldMs = 1 * minute;
/** While another process has requests reserved, which it may give back, it is asked again after this (ms). */
const deniedMs = 1 * second;
/**
 * How long a failure makes the process not ready (ms): without requests, nothing shows that reservations work again.
 */
const failureHoldMs = 10 * second;

type Waiter = PromiseWithResolvers<CountedRequest>;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * Counts requests in a sliding window, exactly, across processes, restarts and crashes. A process reserves requests of
 * a key in blocks: a block is stored before its first request is answered, and then counts in full for every other
 * process, also after a crash. A process that has answered requests itself knows their times, so alone it wastes
 * nothing.
 */
export function createRateLimiter(
  { reservations, clock, log }: { reservations: Reservations; clock: Clock; log: Log },
  rules: ReservationRules = defaultRules,
) {
  const { limit, windowMs } = rules;
  const windows = new Map<number, KeyWindow>();
  const stopping = new AbortController();
  let waiting = new Map<number, Waiter[]>();
  let flushing: Promise<void> | null = null;
  /** Settles when the last transaction and what follows it are done. */
  let last: Promise<unknown> = Promise.resolve();
  let transactions = 0;
  let reservedKeys = 0;
  let failed: { readonly reason: string; readonly at: number } | null = null;

  function noteReserved(keys: number): void {
    reservedKeys += keys;
    failed = null;
  }

  function noteFailure(error: unknown): void {
    failed = { reason: `Requests cannot be counted: ${messageOf(error)}`, at: clock.monotonic() };
  }

  /** Null if a reservation takes a round trip, or has to wait for one. */
  function reserveNow(keyId: number, own: readonly number[]): Reserved | null {
    if (transactions > 0) return null;
    try {
      const reserved = reservations.reserveNow({ keyId, own, wanted: 1 });
      if (reserved !== null) noteReserved(1);
      return reserved;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  }

  /** A block must not be opened in memory after a later transaction gave it back. */
  async function inTurn<Result>(task: () => Promise<Result>): Promise<Result> {
    transactions += 1;
    const result = last.then(task);
    last = result.catch(() => {});
    try {
      return await result;
    } finally {
      transactions -= 1;
    }
  }

  function windowOf(keyId: number, now: number): KeyWindow {
    let window = windows.get(keyId);
    if (window === undefined) {
      window = new KeyWindow();
      windows.set(keyId, window);
    }
    window.forget(now - windowMs);
    return window;
  }

  function resultOf(isAllowed: boolean, window: KeyWindow, now: number): CountedRequest {
    const remaining = Math.max(0, limit - window.count);
    return { isAllowed, remaining, resetMs: (window.oldestAt ?? now) + windowMs - now };
  }

  /**
   * Counts a request of a key, unless it is over the limit. Returns a promise if that takes a round trip, which rejects
   * with a StoreUnavailableError if reservations cannot be stored. Throws the same.
   */
  function count(keyId: number): CountedRequest | Promise<CountedRequest> {
    const now = clock.monotonic();
    const window = windowOf(keyId, now);
    const queue = waiting.get(keyId);
    if (queue === undefined) {
      if (window.use(now)) return resultOf(true, window, now);
      if (now < window.deniedUntil) return resultOf(false, window, now);
      const reserved = reserveNow(keyId, window.own);
      if (reserved !== null) {
        window.open(reserved.block, reserved.others);
        const then = clock.monotonic();
        return window.use(then) ? resultOf(true, window, then) : denied(window);
      }
    }
    const waiter = Promise.withResolvers<CountedRequest>();
    if (queue === undefined) waiting.set(keyId, [waiter]);
    else queue.push(waiter);
    flushing ??= flush();
    return waiter.promise;
  }

  /** Reserves for all requests that arrived in this turn of the event loop, in one transaction, until none wait. */
  async function flush(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      try {
        await inTurn(() => answer(batch));
      } catch (error) {
        noteFailure(error);
        // Those that arrived meanwhile would wait for the same lock.
        for (const waiter of [...batch.values(), ...waiting.values()].flat()) waiter.reject(error);
        waiting = new Map();
      }
    }
    flushing = null;
  }

  async function answer(batch: ReadonlyMap<number, Waiter[]>): Promise<void> {
    const open = new Map<number, Waiter[]>();
    for (const [keyId, waiters] of batch) {
      const rest = answerFromBlock(keyId, waiters);
      if (rest.length > 0) open.set(keyId, rest);
    }
    if (open.size === 0) return;
    const now = clock.monotonic();
    const requests = [...open].map(([keyId, { length }]) => ({ keyId, own: windowOf(keyId, now).own, wanted: length }));
    const reserved = await reservations.reserve(requests);
    noteReserved(requests.length);
    for (const [index, { keyId }] of requests.entries()) {
      const result = reserved[index];
      if (result !== undefined) windowOf(keyId, clock.monotonic()).open(result.block, result.others);
    }
    for (const [keyId, waiters] of open) {
      const rest = answerFromBlock(keyId, waiters);
      if (rest.length > 0) deny(keyId, rest);
    }
  }

  /** @returns those for which there was nothing left. */
  function answerFromBlock(keyId: number, waiters: readonly Waiter[]): Waiter[] {
    const now = clock.monotonic();
    const window = windowOf(keyId, now);
    return waiters.filter(({ resolve }) => {
      if (!window.use(now)) return true;
      resolve(resultOf(true, window, now));
      return false;
    });
  }

  function deny(keyId: number, waiters: readonly Waiter[]): void {
    const window = windowOf(keyId, clock.monotonic());
    for (const { resolve, reject } of waiters) {
      try {
        resolve(denied(window));
      } catch (error) {
        reject(error);
      }
    }
  }

  function denied(window: KeyWindow): CountedRequest {
    const now = clock.monotonic();
    if (window.isLate(now))
      throw new StoreUnavailableError(new Error('The commit took longer than the block may be used.'));
    const result = resultOf(false, window, now);
    window.deniedUntil = now + (window.hasOthers ? Math.min(deniedMs, result.resetMs) : result.resetMs);
    return result;
  }

  /** Stores exact counts instead of blocks, and gives back what was not used. */
  function settle(keyIds: readonly number[]): Promise<void> {
    const now = clock.monotonic();
    const used = keyIds.map((keyId) => {
      const window = windowOf(keyId, now);
      window.settle();
      return { keyId, own: window.own };
    });
    return reservations.settle(used);
  }

  async function sweep(): Promise<void> {
    const now = clock.monotonic();
    const ended: number[] = [];
    for (const [keyId, window] of windows) {
      window.forget(now - windowMs);
      if (window.needsStoring(now)) ended.push(keyId);
      else if (window.count === 0 && window.isStored) windows.delete(keyId);
    }
    for (let from = 0; from < ended.length && !stopping.signal.aborted; from += sweepBatch) {
      const batch = ended.slice(from, from + sweepBatch);
      await inTurn(() => settle(batch.filter((keyId) => windows.get(keyId)?.needsStoring(clock.monotonic()))));
      await clock.sleep(sweepPauseMs, stopping.signal);
    }
  }

  async function run(): Promise<void> {
    let deleteAt = clock.monotonic() + deleteOldMs;
    while (!stopping.signal.aborted) {
      await clock.sleep(sweepMs, stopping.signal);
      try {
        await sweep();
        if (clock.monotonic() < deleteAt) continue;
        deleteAt = clock.monotonic() + deleteOldMs;
        await reservations.deleteOld();
      } catch (thrown) {
        logFailure(thrown);
      }
    }
  }

  function logFailure(thrown: unknown): void {
    log.warn({ error: messageOf(thrown) }, 'counted requests could not be stored; they count as used');
  }

  const running = run();
  return {
    count,
    /** The number of keys for which a block was requested. */
    reservations: () => reservedKeys,
    /** Why requests could not be reserved a moment ago; null if they could. */
    failure: () => (failed !== null && clock.monotonic() - failed.at < failureHoldMs ? failed.reason : null),
    /** Stores what was counted exactly, so that the next process knows it, and closes the reservations. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
      await flushing;
      const open = [...windows].filter(([, window]) => !window.isStored).map(([keyId]) => keyId);
      await inTurn(() => settle(open)).catch(logFailure);
      await reservations.close().catch(logFailure);
    },
  };
}
