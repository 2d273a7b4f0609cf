import { type Clock, startTimer } from './clock.ts';

/** The promise did not settle in time. */
export class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * The value of the promise if it settles within `timeoutMs`. Does not cancel the work: a late value is ignored. No
 * timer is created for a promise that settles in the current turn of the event loop, such as a cache in memory.
 * @throws TimeoutError, and what the promise rejects with
 */
export function withTimeout<Value>(timeoutMs: number, clock: Clock, promise: Promise<Value>): Promise<Value> {
  const deadline = clock.monotonic() + timeoutMs;
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined;
    const nextTurn = setImmediate(() => {
      // Under load, the turn of the event loop may have taken a while.
      const remaining = Math.max(0, deadline - clock.monotonic());
      stopTimer = startTimer(clock, remaining, () => reject(new TimeoutError(timeoutMs)));
    });
    const stop = () => {
      clearImmediate(nextTurn);
      stopTimer?.();
    };
    // Commands wait for values from memory, so this creates as few promises as possible.
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}

/** Waits for a promise at most `ms` ({@link withTimeout}); undefined when it is late or rejects. */
export function settleWithin<Value>(
  timeoutMs: number,
  clock: Clock,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  return withTimeout(timeoutMs, clock, promise).catch(() => undefined);
}

/** The result of a task; rejects with the reason of the signal as soon as that is aborted, as `fetch` does. */
export async function untilAborted<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([task(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** The callers that wait for one result. Its work is cancelled when all of them were aborted. */
export class Waiters {
  readonly #stop = new AbortController();
  #count = 0;

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Adds a caller. Call the result when it has its own; one that ended otherwise than by its signal still wants the work done. */
  join(signal: AbortSignal | undefined): () => void {
    this.#count += 1;
    const onAbort = () => {
      this.#count -= 1;
      if (this.#count === 0) this.#stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  }
}
