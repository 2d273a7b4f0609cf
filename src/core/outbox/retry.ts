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
