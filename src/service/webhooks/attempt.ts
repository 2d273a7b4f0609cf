import type { Clock } from '../../platform/clock.ts';
import { hour, second } from '../../platform/durations.ts';
import { sign } from '../../webhook/signature.ts';
import { type DeliveryAttempt, insertAttempt } from '../storage/attempts.ts';
import type { Database } from '../storage/database.ts';
import { settleDelivery, type WebhookDelivery } from '../storage/deliveries.ts';
import { clearFailures, findWebhook, pauseWebhook, recordFailure, type Webhook } from '../storage/webhooks.ts';
import { reasonToPause } from './pause.ts';
import { post, signatureHeader } from './post.ts';
import type { WebhookRetryPolicy } from './retry.ts';
import { checkTarget, RejectedTargetError, type TargetPolicy, type WebhookTarget } from './target.ts';

/** A receiver has this long for its whole answer (ms). */
export const answerTimeout = 10 * second;
/** A receiver that asks for a longer pause is tried after this one (ms). */
const longestRetryAfter = 4 * hour;
const unauthorized = 401;

/** What sending needs. */
export interface DeliveryContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly targets: TargetPolicy;
  readonly retry: WebhookRetryPolicy;
}

/** A finished attempt with what the receiver asked for, if it asked to wait. */
type Tried = DeliveryAttempt & { readonly retryAfter: string | null };

/**
 * Tries a delivery once and writes down what came of it: the attempt, the delivery's next state, and the endpoint's record.
 * Only where the receiver refuses the signature while a rotation overlaps, it is tried a second time with the previous secret.
 * Nothing is written when `stop` fires before the answer.
 */
export async function attemptDelivery(
  delivery: WebhookDelivery,
  sending: DeliveryContext,
  stop?: AbortSignal,
): Promise<DeliveryAttempt | null> {
  const webhook = await findWebhook(sending.database, delivery.listingId, delivery.family);
  if (webhook === null) return null;
  const tried: Tried[] = [await tryOnce(delivery, webhook, 'current', sending, stop)];
  if (tried[0]?.status === unauthorized && overlaps(webhook, sending.clock.now())) {
    tried.push(await tryOnce(delivery, webhook, 'previous', sending, stop));
  }
  const last = tried.at(-1);
  if (last === undefined || (stop?.aborted && last.status === null)) return null;
  await settle(delivery, webhook, tried, last, sending);
  const { retryAfter: _asked, ...attempt } = last;
  return attempt;
}

async function tryOnce(
  delivery: WebhookDelivery,
  webhook: Webhook,
  signedWith: 'current' | 'previous',
  { clock, targets }: DeliveryContext,
  stop?: AbortSignal,
): Promise<Tried> {
  const at = clock.now();
  const began = clock.monotonic();
  const secret = signedWith === 'previous' && webhook.previous ? webhook.previous.secret : webhook.secret;
  const finished = (rest: Pick<Tried, 'status' | 'error' | 'answer' | 'retryAfter'>): Tried => ({
    at,
    durationMs: Math.round(clock.monotonic() - began),
    url: webhook.url,
    signedWith,
    ...rest,
  });
  const target = await allowed(webhook.url, targets);
  if (typeof target === 'string') return finished({ status: null, error: target, answer: null, retryAfter: null });
  const headers = {
    'user-agent': 'tallyhook-service/1 (+webhooks)',
    [signatureHeader]: sign(delivery.body, secret),
    'x-webhook-id': delivery.id,
    'x-webhook-attempt': String(delivery.attempts + 1),
  };
  const outcome = await post(target, delivery.body, headers, { clock, timeout: answerTimeout, stop });
  if (outcome.status === null) return finished({ status: null, error: outcome.error, answer: null, retryAfter: null });
  return finished({ ...outcome, error: faultOf(outcome.status) });
}

async function allowed(url: string, targets: TargetPolicy): Promise<WebhookTarget | string> {
  try {
    return await checkTarget(url, targets);
  } catch (thrown) {
    if (thrown instanceof RejectedTargetError) return thrown.message;
    throw thrown;
  }
}

/** Why a status does not count as delivered; null for any 2xx. */
function faultOf(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `Answered ${status}; redirects are not followed. Enter the final address.`;
  if (status === unauthorized) return 'Answered 401: the receiver refuses the signature. Does it know this secret?';
  return `Answered ${status}.`;
}

function overlaps(webhook: Webhook, now: number): boolean {
  return webhook.previous !== null && webhook.previous.until > now;
}

async function settle(
  delivery: WebhookDelivery,
  webhook: Webhook,
  tried: readonly DeliveryAttempt[],
  last: Tried,
  { database, clock, retry }: DeliveryContext,
): Promise<void> {
  const now = clock.now();
  const attempts = delivery.attempts + 1;
  const wait = last.error === null || delivery.test ? null : retry(attempts, clock.random());
  await database.transaction().execute(async (sql) => {
    for (const attempt of tried) await insertAttempt(sql, delivery.id, attempt);
    if (last.error === null) {
      await settleDelivery(sql, delivery.id, { state: 'delivered', attempts, nextAttemptAt: now });
      await clearFailures(sql, webhook);
      return;
    }
    const nextAttemptAt = now + Math.max(wait ?? 0, askedWait(last.retryAfter));
    await settleDelivery(sql, delivery.id, { state: wait === null ? 'failed' : 'waiting', attempts, nextAttemptAt });
    if (delivery.test) return;
    await recordFailure(sql, webhook, now);
    const failing = await findWebhook(sql, webhook.listingId, webhook.family);
    const reason = failing === null || failing.url !== webhook.url ? null : reasonToPause(failing, last.status, now);
    if (reason !== null) await pauseWebhook(sql, webhook, reason, now);
  });
}

/** The wait that a receiver asks for with `Retry-After` in seconds (ms), up to a limit; 0 where it asks for none. */
function askedWait(retryAfter: string | null): number {
  if (retryAfter === null || !/^\d{1,9}$/.test(retryAfter)) return 0;
  return Math.min(Number(retryAfter) * second, longestRetryAfter);
}
