import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { inSpan, type SpanDescription } from '@tallyhook/platform/tracing/span';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { ClaimedEffect, Perform } from './effect.ts';
import type { Outbox } from './outbox.ts';
import type { QueueName } from './queue.ts';
import type { QueueRotation } from './queue-rotation.ts';
import type { AttemptedBatch, Settle } from './settle.ts';

/** Longer than the timeout of an attempt (15 s), so that no other process claims effects that are being sent. */
const leaseMs = 20 * second;
/** Pause after a database error. */
export const errorPauseMs = 2 * second;
/** Delay before the next claim of a queue whose due effects another process is claiming. */
const claimRetryMs = second / 10;
/** How long `stop` waits for the running attempts, and for giving back their leases. */
const stopTimeoutMs = 3 * second;
/** Announcements in one message: Discord accepts ten embeds. */
const batchSize = 10;

/**
 * Attempts of several queues at one time, and of one queue as many as the rotation allows. After a database error, the
 * result of an attempt is stored again until that succeeds: the queue has no other attempt before, because a database
 * that is locked for long would outlast Discord's memory of the nonce.
 */
export function createAttempts(options: {
  outbox: Outbox;
  perform: Perform;
  settle: Settle;
  rotation: QueueRotation;
  clock: Clock;
  log: Log;
  onAttempt: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
  /** An attempt has claimed effects, and another one of its queue may start. */
  onClaimed: () => void;
  /** An attempt has ended. @param pauseMs how long to start no other one; 0 for no pause */
  onEnd: (pauseMs: number) => void;
  /** The database failed. */
  onError: (error: unknown) => void;
}) {
  const { outbox, perform, settle, rotation, clock, log, onAttempt, onClaimed, onEnd, onError } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const inProgress = new Set<readonly ClaimedEffect[]>();

  /** Claims and attempts effects; undefined when none is due. */
  async function claimAndAttempt(queue: string): Promise<AttemptedBatch | undefined> {
    const now = clock.now();
    const dueAt = await outbox.nextDueAt(queue, now);
    if (dueAt === null) return undefined;
    const effects = dueAt > now ? [] : await outbox.claim(queue as QueueName, now, now + leaseMs, batchSize);
    if (effects.length === 0) {
      rotation.addAt(queue, dueAt > now ? dueAt : now + claimRetryMs);
      return undefined;
    }
    if (rotation.add(queue)) onClaimed();
    inProgress.add(effects);
    const attempt = await inSpan(
      () => describeAttempt(effects),
      () => perform(effects),
      ({ outcome }) => ({
        attributes: { 'tallyhook.outcome': outcome },
        error: outcome === 'done' ? undefined : outcome,
      }),
    );
    inProgress.delete(effects);
    onAttempt(effects, attempt);
    return { effects, attempt };
  }

  async function settleUntilStored(batch: AttemptedBatch): Promise<number> {
    for (;;) {
      try {
        return await settle(batch);
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        onError(error);
        await clock.sleep(errorPauseMs, stopping.signal);
      }
    }
  }

  async function attempt(queue: string): Promise<void> {
    let pauseMs = 0;
    try {
      const batch = await claimAndAttempt(queue);
      if (batch !== undefined) {
        pauseMs = await settleUntilStored(batch);
        // More effects of the queue may be due: its next turn is after those of the others.
        rotation.add(queue);
      }
    } catch (error) {
      onError(error);
    } finally {
      rotation.finish(queue);
      onEnd(pauseMs);
    }
  }

  return {
    /** Claims and attempts effects of a queue, and stores the result. Calls `finish` of the rotation afterwards. */
    start(queue: string): void {
      const promise = attempt(queue);
      running.add(promise);
      void promise.then(() => running.delete(promise));
    },
    /**
     * Waits up to 3 s for the running attempts. After that their leases are given back: a retry has the same nonce, so it
     * is the same message whether or not the attempt succeeds.
     */
    async stop(): Promise<void> {
      stopping.abort();
      await settleWithin(stopTimeoutMs, clock, Promise.all(running));
      const effects = [...inProgress].flat();
      if (effects.length === 0) return;
      const returning = outbox
        .retry(effects, clock.now(), 'stopped during the attempt')
        .catch((error: unknown) =>
          log.warn({ reason: messageOf(error) }, 'failed to give back leased effects; their lease ends in 20 s'),
        );
      await settleWithin(stopTimeoutMs, clock, returning);
    },
  };
}

/**
 * An attempt links to the deliveries of its effects, whose trace may be that of another process. The queue is not an
 * attribute, because it can contain the id of a member.
 */
function describeAttempt(effects: readonly ClaimedEffect[]): SpanDescription {
  const [first] = effects;
  return {
    name: `process ${first?.kind}`,
    kind: 'consumer',
    attributes: {
      'messaging.system': 'tallyhook',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': first?.kind,
      'messaging.message.id': String(first?.id),
      'messaging.batch.message_count': effects.length > 1 ? effects.length : undefined,
      'tallyhook.delivery.id': first?.deliveryId ?? undefined,
      'tallyhook.attempt': first?.attempts,
    },
    links: effects.map(({ traceparent }) => traceparent),
  };
}
