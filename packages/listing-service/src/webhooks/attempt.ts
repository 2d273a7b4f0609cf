import type { Clock } from '@tallyhook/platform/clock';
import { day, formatCount, hour, second } from '@tallyhook/platform/durations';
import { hmacHex } from '@tallyhook/platform/hmac';
import { parseRetryAfter } from '@tallyhook/platform/retry-after';
import { type Connections, type PostOutcome, post, unanswered } from '@tallyhook/platform/webhooks/post';
import { standardHeaders } from '@tallyhook/platform/webhooks/standard-webhooks';
import {
  checkTarget,
  RejectedTargetError,
  type TargetPolicy,
  type WebhookTarget,
} from '@tallyhook/platform/webhooks/target';
import type { ServiceCounters } from '../monitoring/service-counters.ts';
import type { Database } from '../storage/database.ts';
import type { DeliveryAttempt } from '../storage/deliveries/deliveries.ts';
import { settleFailure, settleSuccess } from '../storage/deliveries/settle-delivery.ts';
import type { SendableDelivery, Webhook } from '../storage/deliveries/webhooks.ts';

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

/** Timeout of one request, until the end of the response (ms). */
export const webhookResponseTimeoutMs = 10 * second;
/** Upper bound for `Retry-After` (ms). */
const maxRetryAfterMs = 4 * hour;
const minPausingFailures = 20;
const minPausingMs = 1 * day;
const unauthorized = 401;
/** The header that carries the signature (document, section 5.7). */
const signatureHeader = 'x-webhook-signature';
const gone = 410;
/** Stored with the webhook; pages have it in other languages. */
export const goneReason = 'The endpoint returned 410 Gone.';

export interface DeliveryContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly targets: TargetPolicy;
  readonly retry: WebhookRetryPolicy;
  readonly counters: ServiceCounters;
}

/** The context of a process that sends many deliveries, over connections that stay open. */
type SendingContext = DeliveryContext & { readonly connections?: Connections };

/** A finished attempt with the receiver's `Retry-After`, if it sent one. */
type AttemptResult = DeliveryAttempt & { readonly retryAfter: string | null };

/** The attempts of a delivery that was sent; the last decides what becomes of it. */
export interface Sent {
  readonly attempts: readonly AttemptResult[];
  readonly last: AttemptResult;
}

/** Sends a delivery once and stores the attempt. Returns the last attempt. */
export async function attemptDelivery(delivery: SendableDelivery, context: DeliveryContext): Promise<DeliveryAttempt> {
  const sent = await sendDelivery(delivery, context);
  await storeAttempts(delivery, sent, context);
  const { retryAfter: _retryAfter, ...attempt } = sent.last;
  return attempt;
}

/**
 * Sends a delivery once. If the receiver rejects the signature while the previous secret is still valid, the delivery is
 * sent again, signed with that secret.
 */
export async function sendDelivery(delivery: SendableDelivery, context: SendingContext): Promise<Sent> {
  const first = await sendOnce(delivery, 'current', context);
  if (first.status !== unauthorized || validSecrets(delivery.webhook, context.clock.now()).length === 1)
    return { attempts: [first], last: first };
  const second = await sendOnce(delivery, 'previous', context);
  return { attempts: [first, second], last: second };
}

async function sendOnce(
  delivery: SendableDelivery,
  signedWith: 'current' | 'previous',
  { clock, targets, counters, connections }: SendingContext,
): Promise<AttemptResult> {
  const { webhook } = delivery;
  const at = clock.now();
  const startedAt = clock.monotonic();
  const secret = signedWith === 'previous' && webhook.previous ? webhook.previous.secret : webhook.secret;
  const toResult = (outcome: PostOutcome): AttemptResult => ({
    at,
    durationMs: Math.round(clock.monotonic() - startedAt),
    url: webhook.url,
    signedWith,
    ...outcome,
  });
  const target = await checkedTarget(webhook.url, targets);
  if (typeof target === 'string') return toResult(unanswered(target));
  const headers = {
    'user-agent': 'tallyhook-service/1 (+webhooks)',
    [signatureHeader]: hmacHex(delivery.body, secret),
    'x-webhook-id': delivery.id,
    'x-webhook-attempt': String(delivery.attempts + 1),
    ...standardHeaders(delivery, validSecrets(webhook, at), at),
  };
  const options = { clock, timeoutMs: webhookResponseTimeoutMs, connections };
  const outcome = await post(target, delivery.body, headers, options);
  countRequest(counters, outcome.status);
  return toResult(outcome.status === null ? outcome : { ...outcome, error: statusError(outcome.status) });
}

function countRequest({ webhookRequests }: ServiceCounters, status: number | null): void {
  if (status === null) webhookRequests.unanswered += 1;
  else if (statusError(status) === null) webhookRequests.accepted += 1;
  else webhookRequests.rejected += 1;
}

async function checkedTarget(url: string, targets: TargetPolicy): Promise<WebhookTarget | string> {
  try {
    return await checkTarget(url, targets);
  } catch (thrown) {
    if (thrown instanceof RejectedTargetError) return thrown.message;
    throw thrown;
  }
}

/** Why the status is a failure; null for any 2xx. */
function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400)
    return `The receiver returned ${status}; redirects are not followed. Enter the final URL.`;
  if (status === unauthorized)
    return 'The receiver returned 401: it rejected the signature. Check that it has this secret.';
  return `The receiver returned ${status}.`;
}

/** The current secret, and after a rotation the previous one. */
function validSecrets({ secret, previous }: Webhook, now: number): readonly string[] {
  return previous !== null && previous.until > now ? [secret, previous.secret] : [secret];
}

/** Stores the attempts, the next state of the delivery and the failure count of the webhook. */
export async function storeAttempts(
  delivery: SendableDelivery,
  { attempts: results, last }: Sent,
  { database, clock, retry }: DeliveryContext,
): Promise<void> {
  const now = clock.now();
  const attempts = delivery.attempts + 1;
  if (last.error === null) {
    const next = { state: 'delivered', attempts, nextAttemptAt: now } as const;
    await settleSuccess(database, { delivery, attempts: results, next });
    return;
  }
  const delayMs = delivery.test ? null : retry(attempts, clock.random());
  const nextAttemptAt = Math.max(now + (delayMs ?? 0), retryTime(last.retryAfter, now));
  const next = { state: delayMs === null ? 'failed' : 'waiting', attempts, nextAttemptAt } as const;
  const failure = { now, pauseReason: (current: Webhook) => pauseReason(current, last.status, now) };
  await settleFailure(database, { delivery, attempts: results, next }, delivery.test ? null : failure);
}

/** The time of a `Retry-After` header (ms since the epoch), limited; `now` without a valid one. */
function retryTime(retryAfter: string | null, now: number): number {
  const time = retryAfter === null ? null : parseRetryAfter(retryAfter, now);
  return Math.min(time ?? now, now + maxRetryAfterMs);
}

/**
 * Why a webhook is paused after a failed attempt, or null if it is not: only failures for a day and at least 20 of
 * them, or a receiver that returned 410 Gone.
 */
export function pauseReason(webhook: Webhook, status: number | null, now: number): string | null {
  if (status === gone) return goneReason;
  if (webhook.failingSince === null || webhook.failures < minPausingFailures) return null;
  if (now - webhook.failingSince < minPausingMs) return null;
  return `All of the last ${formatCount(webhook.failures, 'attempt')} failed, for more than a day.`;
}
