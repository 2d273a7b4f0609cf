import { day, formatCount } from '../../platform/durations.ts';
import type { Webhook } from '../storage/webhooks.ts';

const longestRun = 1 * day;
const fewestFailures = 20;
const gone = 410;

/**
 * Why an endpoint counts as dead after a failed attempt, or null while it does not: nothing but failures for a day, and enough
 * of them to be no accident, or the receiver's own word that it is gone.
 */
export function reasonToPause(webhook: Webhook, status: number | null, now: number): string | null {
  if (status === gone) return 'The endpoint answered 410 Gone.';
  if (webhook.failingSince === null || webhook.failures < fewestFailures) return null;
  if (now - webhook.failingSince < longestRun) return null;
  return `All of the last ${formatCount(webhook.failures, 'attempt')} failed, for more than a day.`;
}
