import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import type { ClaimedEffect } from './effect.ts';
import type { Outbox } from './outbox.ts';
import { stoppedQueue } from './queue.ts';
import type { QueueRotation } from './queue-rotation.ts';
import { maxDelayMs, type Outage, type RetryPolicy } from './retry.ts';

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
 * Stores the result of an attempt. Returns how long to pause before the next attempt of any effect (ms); 0 to continue.
 * Rejects as {@link Outbox} does.
 */
export type Settle = (batch: AttemptedBatch) => Promise<number>;

export function createSettle(options: {
  outbox: Outbox;
  outage: Outage;
  rotation: QueueRotation;
  communityOf: (queue: string) => string;
  policy: RetryPolicy;
  clock: Clock;
  log: Log;
}): Settle {
  const { outbox, outage, rotation, communityOf, policy, clock, log } = options;

  /** Effects wait for their target, the oldest ones not any more. */
  async function park(
    effects: readonly ClaimedEffect[],
    { reason, retryAfterMs = 0 }: RetryLater,
    { target, maxAgeMs }: NonNullable<RetryLater['stop']>,
    now: number,
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

  async function retryLater(effects: readonly ClaimedEffect[], attempt: RetryLater, now: number): Promise<number> {
    if (attempt.stop !== undefined) {
      await park(effects, attempt, attempt.stop, now);
      return 0;
    }
    // A rate limit is not a failure of the effects, so it never ends their retries, however old they are.
    if (attempt.retryAfterMs !== undefined) {
      return reschedule(effects, attempt, now, Math.round(attempt.retryAfterMs + maxJitterMs * clock.random()));
    }
    const random = clock.random();
    const delays = effects.map(({ attempts, createdAt }) => policy({ attempts, age: now - createdAt }, random));
    const expired = effects.filter((_, index) => delays[index] === 'bury');
    if (expired.length > 0) {
      const reason = `gave up after ${maxAttempts(expired)} attempts: ${attempt.reason}`;
      await (attempt.notSent ? outbox.bury(expired, now, reason) : outbox.giveUp(expired, now, reason));
    }
    const retryable = effects.filter((effect) => !expired.includes(effect));
    if (retryable.length === 0) return 0;
    return reschedule(retryable, attempt, now, Math.max(...delays.filter((delay) => delay !== 'bury')));
  }

  async function reschedule(
    effects: readonly ClaimedEffect[],
    attempt: RetryLater,
    now: number,
    delayMs: number,
  ): Promise<number> {
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
    if (attempt.scope === 'community' && attempt.retryAfterMs !== undefined) {
      // It is known that the others are not affected.
      if (communityOf(queue) === '') rotation.pause(queue, delayMs);
      else rotation.pauseCommunity(queue, delayMs);
      return 0;
    }
    if (attempt.scope === 'community' && communityOf(queue) !== '') {
      rotation.pauseCommunity(queue, delayMs);
      // A probe finds out whether several communities fail because all would.
      if (rotation.pausedCommunities > 1) outage.begin(clock.monotonic());
      return 0;
    }
    if (attempt.scope !== 'effects') {
      outage.begin(clock.monotonic());
      return delayMs;
    }
    if (isQueueLimit) for (const { queue } of effects) rotation.pause(queue, delayMs);
    return 0;
  }

  return async ({ effects, attempt }) => {
    const now = clock.now();
    switch (attempt.outcome) {
      case 'done':
        await outbox.done(effects, now);
        return 0;
      case 'split':
        await outbox.split(effects, attempt.reason);
        return 0;
      case 'bury':
        log.warn({ effects: effects.map(({ id }) => id), reason: attempt.reason }, 'effects failed permanently');
        await outbox.bury(effects, now, attempt.reason);
        return 0;
      case 'later':
        return retryLater(effects, attempt, now);
    }
  };
}

function maxAttempts(effects: readonly ClaimedEffect[]): number {
  return Math.max(...effects.map(({ attempts }) => attempts));
}
