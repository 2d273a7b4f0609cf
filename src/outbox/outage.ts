import { minute } from '../platform/durations.ts';
import type { RetryPolicy } from './retry.ts';

/** However long it lasts, somebody looks this often whether it is over (ms). */
const longest = 2 * minute;

/**
 * A time in which nothing can succeed. It is met with questions instead of attempts, so that it leaves one message whose fate nobody
 * knows, and not one for each try.
 */
export interface Outage {
  readonly isOn: boolean;
  /** @param now monotonic, ms */
  begin(now: number): void;
  end(): void;
  /** Counts a look and returns how long to wait before it (ms). @param now monotonic, ms @param random in [0, 1) */
  nextProbeDelay(now: number, random: number): number;
}

/** @param policy spaces the looks, by their number and how long it lasts; its `bury` means the longest pause (2 min) */
export function createOutage(policy: RetryPolicy): Outage {
  let since: number | null = null;
  let looks = 0;

  return {
    get isOn() {
      return since !== null;
    },
    begin(now) {
      since ??= now;
    },
    end() {
      since = null;
      looks = 0;
    },
    nextProbeDelay(now, random) {
      looks += 1;
      const delay = policy({ attempts: looks, age: now - (since ?? now) }, random);
      return delay === 'bury' ? longest : delay;
    },
  };
}
