import { setTimeout as wait } from 'node:timers/promises';
import { second } from './durations.ts';

/**
 * Time and chance, handed in wherever they are needed, so that everything else stays pure and testable.
 * All times are milliseconds since the Unix epoch; all durations are milliseconds.
 */
export interface Clock {
  /**
   * The present moment (ms since the epoch), for timestamps. It can be set back or forward at any time, so no timeout is measured with it.
   */
  now(): number;
  /** Elapsed time (ms) since some fixed moment of this process: it never goes back and never leaps. For timeouts, polls, leases and TTLs. */
  monotonic(): number;
  /** Waits `ms`, or less when the signal aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

/** Whether a day such as `2026-02-30` exists. The engine takes that one for 2 March; it refuses only what no month has. */
export function isOnCalendar(yearMonthDay: string): boolean {
  const ofMonth = Number(yearMonthDay.slice(8));
  return ofMonth <= 28 || new Date(`${yearMonthDay}T00:00:00Z`).getUTCDate() === ofMonth;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}).catch(() => {}),
  random: () => Math.random(),
};

/**
 * Detects that the wall clock was set. Each call returns by how much (ms, negative when it was set back) since the call before, and 0
 * where that is less than a second: a clock that is only being adjusted drifts by far less between two calls.
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
