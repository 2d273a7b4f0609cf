import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

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
export async function withTimeout<Value>(timeoutMs: number, clock: Clock, promise: Promise<Value>): Promise<Value> {
  const deadline = clock.monotonic() + timeoutMs;
  const settledEarly = await Promise.race([promise.then((value) => ({ value })), nextTurn()]);
  if (settledEarly !== undefined) return settledEarly.value;

  const timerController = new AbortController();
  // Under load, the turn of the event loop may have taken a while.
  const remaining = Math.max(0, deadline - clock.monotonic());
  const timeout = clock.sleep(remaining, timerController.signal).then(() => {
    throw new TimeoutError(timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    timerController.abort();
  }
}

/** Like {@link withTimeout}, but resolves to undefined when the promise is late or rejects. */
export function settleWithin<Value>(
  timeoutMs: number,
  clock: Clock,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  return withTimeout(timeoutMs, clock, promise).catch(() => undefined);
}
