import { hour, second } from '../../platform/durations.ts';

/** The delay after the given number of failed attempts (ms), or null to give up. `random` is in [0, 1). */
export type WebhookRetryPolicy = (attempts: number, random: number) => number | null;

const initialDelayMs = 10 * second;
const maxDelayMs = 4 * hour;
const maxAttempts = 10;

/**
 * Ten attempts in 5.5 to 11 hours: exponential backoff from 10 s by a factor of 3, at most 4 h. Half of each delay is
 * jitter, so that deliveries that failed together are not retried together.
 */
export const exponentialRetry: WebhookRetryPolicy = (attempts, random) => {
  if (attempts >= maxAttempts) return null;
  const delayMs = Math.min(maxDelayMs, initialDelayMs * 3 ** (attempts - 1));
  return Math.round(delayMs / 2 + (delayMs / 2) * random);
};
