import { hour, second } from '../../platform/durations.ts';

/** How long to wait after the `attempts`th failed attempt (ms), or null to give up. `chance` is in [0, 1). */
export type WebhookRetryPolicy = (attempts: number, chance: number) => number | null;

const first = 10 * second;
const longest = 4 * hour;
const mostAttempts = 10;

/**
 * Ten attempts over five and a half to eleven hours: 10 s, 30 s, 90 s, … up to 4 h. Half of each wait is chance, so that what failed
 * together does not come back together.
 */
export const exponentialRetry: WebhookRetryPolicy = (attempts, chance) => {
  if (attempts >= mostAttempts) return null;
  const wait = Math.min(longest, first * 3 ** (attempts - 1));
  return Math.round(wait / 2 + (wait / 2) * chance);
};
