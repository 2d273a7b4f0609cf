import { minute } from '../../platform/durations.ts';
import type { RetryPolicy } from './retry.ts';

/** Longest time between two probes, however long the outage lasts. */
const maxProbeDelayMs = 2 * minute;

/**
 * A period in which no effect can succeed. Only probes are sent meanwhile, not messages, so that a single message has
 * an unknown result instead of one per retry.
 */
export interface Outage {
  readonly isActive: boolean;
  /** @param now monotonic, ms */
  begin(now: number): void;
  end(): void;
  /** Counts a probe and returns the delay before it (ms). @param now monotonic, ms @param random in [0, 1) */
  nextProbeDelay(now: number, random: number): number;
}

/**
 * @param policy spaces the probes by their number and the age of the outage; its `bury` means the longest delay (2 min)
 */
export function createOutage(policy: RetryPolicy): Outage {
  let since: number | null = null;
  let probes = 0;

  return {
    get isActive() {
      return since !== null;
    },
    begin(now) {
      since ??= now;
    },
    end() {
      since = null;
      probes = 0;
    },
    nextProbeDelay(now, random) {
      probes += 1;
      const delay = policy({ attempts: probes, age: now - (since ?? now) }, random);
      return delay === 'bury' ? maxProbeDelayMs : delay;
    },
  };
}
