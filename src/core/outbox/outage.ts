import { minute } from '../../platform/durations.ts';
import type { RetryPolicy } from './retry.ts';

/** Longest time between two probes, however long the outage lasts. */
const maxProbeDelayMs = 2 * minute;

export type Outage = ReturnType<typeof createOutage>;

/**
 * A period in which no effect can succeed. Only probes are sent meanwhile, not messages, so that a single message has
 * an unknown result instead of one per retry. Times are monotonic (ms).
 * @param policy spaces the probes by their number and the age of the outage; its `bury` means the longest delay (2 min)
 */
export function createOutage(policy: RetryPolicy) {
  let since: number | null = null;
  let probes = 0;

  return {
    get isActive() {
      return since !== null;
    },
    begin(now: number): void {
      since ??= now;
    },
    end(): void {
      since = null;
      probes = 0;
    },
    /** Counts a probe and returns the delay before it (ms). @param random in [0, 1) */
    nextProbeDelay(now: number, random: number): number {
      probes += 1;
      const delay = policy({ attempts: probes, age: now - (since ?? now) }, random);
      return delay === 'bury' ? maxProbeDelayMs : delay;
    },
  };
}
