import { second } from './durations.ts';

/**
 * The source of time and randomness. Passed as a dependency, which keeps the other modules pure and testable. Times are
 * milliseconds since the Unix epoch; durations are milliseconds.
 * @category Start here
 */
export interface Clock {
  /** The current time (ms since the epoch), for timestamps. Not for timeouts: the wall clock can be set at any time. */
  now(): number;
  /**
   * Elapsed time (ms) since a fixed point of this process; never set back or forward. For timeouts, polls, leases and
   * TTLs.
   */
  monotonic(): number;
  /** Resolves after `ms`, or earlier when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** The current time of this machine (ms since the epoch); apart from the clock, so that a small bundle has only this. */
export const systemNow = (): number => Date.now();

/** The clock of this machine. @category Start here */
export const systemClock: Clock = {
  now: systemNow,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      // Not that of `node:timers/promises`: most timeouts are stopped, and it would create an error for each.
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end);
    }),
  random: () => Math.random(),
};

/** Calls `act` after `ms`, unless the returned function was called before. */
export function startTimer(clock: Pick<Clock, 'sleep'>, ms: number, act: () => void): () => void {
  const stopped = new AbortController();
  // An aborted sleep resolves, too.
  void clock.sleep(ms, stopped.signal).then(() => {
    if (!stopped.signal.aborted) act();
  });
  // Without a reason it would be an error with a stack.
  return () => stopped.abort('stopped');
}

/**
 * Detects changes of the wall clock. Each call returns the change since the previous call (ms; negative when the clock
 * was set back). Changes of less than a second are reported as 0: gradual adjustment (NTP slewing) drifts by far less
 * between two calls.
 */
export function watchClockSteps({ now, monotonic }: Clock): () => number {
  let offset = now() - monotonic();
  return () => {
    const step = now() - monotonic() - offset;
    if (Math.abs(step) < second) return 0;
    offset += step;
    return step;
  };
}
