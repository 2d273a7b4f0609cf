import { day, minute, second } from '../platform/durations.ts';

/**
 * When to try again: ms from now, or `bury` when it has been tried for long enough. `attempts` are those begun, `age`
 * is in ms, `random` lies in [0, 1).
 */
export type RetryPolicy = (
  effect: { readonly attempts: number; readonly age: number },
  random: number,
) => number | 'bury';

/** What each attempt doubles (ms). */
const firstDelay = 500;
/** A short outage is followed within 15 s of its end, so nothing young waits longer than this. */
const longestWhileYoung = 8 * second;
const young = 15 * minute;
/** No effect waits longer for its next try (ms). */
export const maxDelay = 2 * minute;
const lifetime = 7 * day;

/** Exponential backoff with jitter (half to all of the delay), quick to come back while the effect is young, buried after seven days. */
export const backoff: RetryPolicy = ({ attempts, age }, random) => {
  if (age > lifetime) return 'bury';
  const cap = age < young ? longestWhileYoung : maxDelay;
  const delay = Math.min(cap, firstDelay * 2 ** Math.min(attempts, 20));
  return Math.round(delay * (0.5 + random / 2));
};
