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
 * The value of the promise, if it settles within `timeoutMs`. Nothing is cancelled: a late value is dropped. A promise that settles
 * in the current turn of the event loop costs no timer, which matters where every request passes.
 * @throws TimeoutError, and whatever the promise rejects with
 */
export async function withTimeout<Value>(timeoutMs: number, clock: Clock, promise: Promise<Value>): Promise<Value> {
  const deadline = clock.monotonic() + timeoutMs;
  const early = await Promise.race([promise.then((value) => ({ value })), nextTurn()]);
  if (early !== undefined) return early.value;

  const settled = new AbortController();
  // With a thousand waiting callers that turn may have been a long one.
  const remaining = Math.max(0, deadline - clock.monotonic());
  const timeout = clock.sleep(remaining, settled.signal).then(() => {
    throw new TimeoutError(timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    settled.abort();
  }
}

/** The same as a value: undefined when the promise is late or rejects. */
export function settleWithin<Value>(
  timeoutMs: number,
  clock: Clock,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  return withTimeout(timeoutMs, clock, promise).catch(() => undefined);
}
