import { minute } from '../clock.ts';
import type { RetryPolicy } from './retry.ts';

/** However long it lasts, somebody looks this often whether it is over (ms). */
const longest = 2 * minute;

/**
 * A time in which nothing can succeed. It is met with questions instead of attempts, so that it leaves one message whose fate nobody
 * knows, and not one for each try.
 */
export interface Outage {
  readonly isOn: boolean;
  /** @param now ms since the epoch */
  begin(now: number): void;
  end(): void;
  /** How long to wait before looking whether it is over (ms). */
  nextLook(now: number, random: number): number;
}

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
    nextLook(now, random) {
      looks += 1;
      const delay = policy({ attempts: looks, age: now - (since ?? now) }, random);
      return delay === 'bury' ? longest : delay;
    },
  };
}
