import { day, minute, second } from '@tallyhook/platform/durations';

/**
 * The delay before the next attempt (ms), or `bury` to give up. `attempts` counts the attempts started, `age` is in ms,
 * `random` is in [0, 1).
 */
export type RetryPolicy = (
  effect: { readonly attempts: number; readonly age: number },
  random: number,
) => number | 'bury';

/** Doubled by each attempt. */
const baseDelayMs = 500;
/** Delivery must resume within 15 s of the end of a short outage, so a young effect never waits longer than this. */
const maxDelayWhileYoungMs = 8 * second;
const youngAgeMs = 15 * minute;
/** No effect waits longer for its next attempt. */
export const maxDelayMs = 2 * minute;
const maxAgeMs = 7 * day;

/**
 * Exponential backoff with jitter (50 to 100 % of the delay), capped at 8 s for young effects; gives up after seven
 * days.
 */
export const backoff: RetryPolicy = ({ attempts, age }, random) => {
  if (age > maxAgeMs) return 'bury';
  const cap = age < youngAgeMs ? maxDelayWhileYoungMs : maxDelayMs;
  const delay = Math.min(cap, baseDelayMs * 2 ** Math.min(attempts, 20));
  return Math.round(delay * (0.5 + random / 2));
};

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
