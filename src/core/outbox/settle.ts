import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import type { ClaimedEffect } from './effect.ts';
import type { Lane } from './lane.ts';
import type { Outbox } from './outbox.ts';
import { stoppedQueue } from './queue.ts';
import { maxDelayMs, type RetryPolicy } from './retry.ts';

/** Added at random to a delay that Discord requires, to spread the retries. */
const maxJitterMs = second / 4;
/** Effects of a stopped queue that are buried in one transaction. */
const buriedAtOnce = 500;

/** The effects of one claim and the result of the attempt to carry them out. */
export interface AttemptedBatch {
  readonly effects: readonly ClaimedEffect[];
  readonly attempt: AttemptResult;
}

/**
 * Stores the results of attempts, and has a lane pause for what they say. Rejects as {@link Outbox} does.
 * @param policyOf when to repeat effects of a kind to which Discord states no delay
 */
export function createSettle(options: {
  readonly outbox: Outbox;
  readonly communityOf: (queue: string) => string;
  readonly policyOf: (kind: string) => RetryPolicy;
  readonly clock: Clock;
  readonly log: Log;
}): (batch: AttemptedBatch, lane: Lane) => Promise<void> {
  const { outbox, communityOf, policyOf, clock, log } = options;

  /** Effects wait for their target, the oldest ones not any more. */
  async function park(
    effects: readonly ClaimedEffect[],
    { reason, retryAfterMs = 0 }: RetryLater,
    { target, maxAgeMs }: NonNullable<RetryLater['stop']>,
    now: number,
    { rotation }: Lane,
  ): Promise<void> {
    const [first] = effects;
    if (first === undefined) return;
    const queue = stoppedQueue(first.queue, target);
    const oldest = now - maxAgeMs;
    const finalReason = `gave up after ${Math.round(maxAgeMs / hour)} h: ${reason}`;
    const expired = effects.filter(({ createdAt }) => createdAt < oldest);
    if (expired.length > 0) await outbox.bury(expired, now, finalReason);
    const waiting = effects.filter(({ createdAt }) => createdAt >= oldest);
    if (waiting.length > 0) await outbox.park(waiting, queue, now, reason);
    rotation.pause(queue, retryAfterMs);
    if (first.queue !== queue) return;
    while ((await outbox.buryOlder(queue, oldest, now, finalReason, buriedAtOnce)) === buriedAtOnce);
  }

  async function retryLater(
    effects: readonly ClaimedEffect[],
    attempt: RetryLater,
    now: number,
    lane: Lane,
  ): Promise<void> {
    if (attempt.stop !== undefined) return park(effects, attempt, attempt.stop, now, lane);
    // A rate limit is not a failure of the effects, so it never ends their retries, however old they are.
    if (attempt.retryAfterMs !== undefined) {
      const delayMs = Math.round(attempt.retryAfterMs + maxJitterMs * clock.random());
      return reschedule(effects, attempt, now, delayMs, lane);
    }
    const random = clock.random();
    const policy = policyOf(effects[0]?.kind ?? '');
    const delays = effects.map(({ attempts, createdAt }) => policy({ attempts, age: now - createdAt }, random));
    const expired = effects.filter((_, index) => delays[index] === 'bury');
    if (expired.length > 0) {
      const reason = `gave up after ${maxAttempts(expired)} attempts: ${attempt.reason}`;
      await (attempt.notSent ? outbox.bury(expired, now, reason) : outbox.giveUp(expired, now, reason));
    }
    const retryable = effects.filter((effect) => !expired.includes(effect));
    if (retryable.length === 0) return;
    await reschedule(retryable, attempt, now, Math.max(...delays.filter((delay) => delay !== 'bury')), lane);
  }

  async function reschedule(
    effects: readonly ClaimedEffect[],
    attempt: RetryLater,
    now: number,
    delayMs: number,
    lane: Lane,
  ): Promise<void> {
    const { rotation } = lane;
    const { reason } = attempt;
    const isQueueLimit = attempt.retryAfterMs !== undefined && attempt.scope === 'effects';
    // Channel rate limits are routine: a backlog reaches one at every fifth message.
    log[isQueueLimit ? 'debug' : 'warn'](
      { effects: effects.length, attempts: maxAttempts(effects), retryInMs: delayMs, reason },
      'effects will be retried',
    );
    // A longer pause is only kept in memory: a stored due time far ahead would look like one from a wrong clock.
    const dueAt = now + Math.min(delayMs, maxDelayMs);
    await (attempt.notSent ? outbox.release(effects, dueAt, reason) : outbox.retry(effects, dueAt, reason));
    const queue = effects[0]?.queue ?? '';
    if (attempt.scope === 'effects') {
      if (isQueueLimit) for (const { queue } of effects) rotation.pause(queue, delayMs);
      return;
    }
    const isOfCommunity = attempt.scope === 'community';
    if (isOfCommunity && communityOf(queue) !== '') {
      rotation.pauseCommunity(queue, delayMs);
      // With a delay that Discord states, it is known that the others are not affected; without one, a probe finds out
      // whether several communities fail because all would.
      if (attempt.retryAfterMs === undefined && rotation.pausedCommunities > 1) lane.beginOutage();
      return;
    }
    if (isOfCommunity && attempt.retryAfterMs !== undefined) {
      rotation.pause(queue, delayMs);
      return;
    }
    lane.beginOutage();
    lane.pause(delayMs);
  }

  return async ({ effects, attempt }, lane) => {
    const now = clock.now();
    switch (attempt.outcome) {
      case 'done':
        return outbox.done(effects, now);
      case 'split':
        return outbox.split(effects, attempt.reason);
      case 'bury':
        log.warn({ effects: effects.map(({ id }) => id), reason: attempt.reason }, 'effects failed permanently');
        return outbox.bury(effects, now, attempt.reason);
      case 'later':
        return retryLater(effects, attempt, now, lane);
    }
  };
}

function maxAttempts(effects: readonly ClaimedEffect[]): number {
  return Math.max(...effects.map(({ attempts }) => attempts));
}
