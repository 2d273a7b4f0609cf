import { setTimeout as wait } from 'node:timers/promises';

/**
 * Time and chance, handed in wherever they are needed, so that everything else stays pure and testable.
 * All times are milliseconds since the Unix epoch; all durations are milliseconds.
 */
export interface Clock {
  /** The present moment (ms since the epoch). */
  now(): number;
  /** Waits `ms`, or less when the signal aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Whether a day such as `2026-02-30` exists. The engine takes that one for 2 March; it refuses only what no month has. */
export function isOnCalendar(yearMonthDay: string): boolean {
  const ofMonth = Number(yearMonthDay.slice(8));
  return ofMonth <= 28 || new Date(`${yearMonthDay}T00:00:00Z`).getUTCDate() === ofMonth;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}).catch(() => {}),
  random: () => Math.random(),
};
