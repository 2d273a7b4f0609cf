import { minute } from '@tallyhook/platform/durations';
import type { ClaimedEffect, NewEffect } from './effect-kind.ts';
import { maxDelayOf } from './perform.ts';
import type { QueueName } from './queue.ts';

/**
 * The furthest a due time in a queue can lie in the future (ms): the longest delay plus the clock skew between machines. A
 * later one was written before a clock was set back. Planned effects are not in the queue yet.
 */
export function maxDueAheadOf(queue: string): number {
  return maxDelayOf(queue) + minute;
}

/** A queue with waiting effects. */
export interface WaitingQueue {
  readonly queue: QueueName;
  /** When its next effect is due or its lease ends (ms since the epoch). */
  readonly dueAt: number;
}

/** The newest effects, of all processes. */
export interface NewEffects {
  /** The highest id of an effect; 0 without effects. */
  readonly lastId: number;
  /** The queues of the new effects that are waiting. */
  readonly queues: readonly string[];
}

/** The part of the outbox that the transaction of an event needs. */
export interface OutboxWrites {
  enqueue(effect: NewEffect): void;
}

/** The reads of the outbox. They reject with the driver's own error. */
export interface OutboxReads {
  /**
   * When the next effect of a queue is due or its lease ends; null when none is waiting. `now` if one is further ahead
   * than {@link maxDueAheadOf}.
   */
  nextDueAt(queue: string, now: number): Promise<number | null>;
  /**
   * The queues with waiting effects in the order of their names: at most `limit`, after `queue`. Due times as
   * {@link Outbox.nextDueAt}.
   */
  queuesAfter(queue: string, limit: number, now: number): Promise<readonly WaitingQueue[]>;
  /**
   * Effects with an id above `afterId`, of which the newest 20,000 are read; null to read only the last id.
   * Transactions can commit in another order than that of their ids.
   */
  newEffects(afterId: number | null): Promise<NewEffects>;
  /** True if there are planned effects to enqueue. Usually not, and a read needs no lock. */
  arePlannedDue(now: number): Promise<boolean>;
  /** When the oldest waiting effect was stored, of all queues but these; null when none is waiting. */
  waitingSince(now: number, stopped?: ReadonlySet<string>): Promise<number | null>;
  /** The number of waiting and of buried effects. */
  sizes(): Promise<{ readonly waiting: number; readonly buried: number }>;
}

/**
 * The writes of the outbox, each in a transaction of its own. They reject with {@link StoreUnavailableError} or
 * TallyhookError `queue_full`.
 */
export interface OutboxChanges {
  /** Adds effects, all or none. */
  enqueue(effects: readonly NewEffect[]): Promise<void>;
  /** Adds the effect of a report, unless one was added under the same key before. */
  enqueueReport(key: string, effect: NewEffect): Promise<void>;
  /**
   * Leases due effects of a queue, all of one kind and with one nonce: up to `limit` consecutive announcements, or one
   * effect of another kind. Effects that were attempted together are claimed together again, so that a retry is the same
   * message. Effects that cannot be read are claimed without others. An effect (or lease) counts as due if it is further
   * ahead than {@link maxDueAheadMs}. Empty when none is due, or while another process claims them. Counts the attempt,
   * and marks its result as unknown from now on.
   *
   * The methods below only update effects that are still waiting.
   */
  claim(queue: QueueName, now: number, leaseUntil: number, limit: number): Promise<readonly ClaimedEffect[]>;
  done(effects: readonly ClaimedEffect[], now: number): Promise<void>;
  /**
   * Retries at `dueAt` after an attempt with an unknown result. The effects keep their nonce, since the message may
   * exist.
   */
  retry(effects: readonly ClaimedEffect[], dueAt: number, reason: string): Promise<void>;
  /**
   * Retries at `dueAt` after an attempt that certainly sent nothing. Unless an earlier one may have, the effects can
   * join others.
   */
  release(effects: readonly ClaimedEffect[], dueAt: number, reason: string): Promise<void>;
  /**
   * Lets effects wait in a queue, perhaps another one, from which they can be claimed again, after the others in it. The
   * attempt certainly sent nothing.
   */
  park(effects: readonly ClaimedEffect[], queue: QueueName, now: number, reason: string): Promise<void>;
  /**
   * Fails up to `limit` waiting effects of a queue permanently that were stored before `before` and are not leased.
   * Returns how many.
   */
  buryOlder(queue: QueueName, before: number, now: number, reason: string, limit: number): Promise<number>;
  /** Makes each effect a message of its own, due immediately. */
  split(effects: readonly ClaimedEffect[], reason: string): Promise<void>;
  /**
   * Fails the effects permanently after an attempt that certainly sent nothing. Unknown results of earlier attempts
   * remain stored.
   */
  bury(effects: readonly ClaimedEffect[], now: number, reason: string): Promise<void>;
  /** Fails the effects permanently after an attempt with an unknown result. */
  giveUp(effects: readonly ClaimedEffect[], now: number, reason: string): Promise<void>;
  /** Makes all waiting effects without a lease due immediately. */
  wake(now: number): Promise<void>;
  /** Moves up to `limit` planned effects that are due into their queues, which it returns, one for each effect. */
  enqueuePlanned(now: number, limit: number): Promise<readonly string[]>;
  /** Requeues a buried effect as if it were new: due now, without attempts. */
  requeue(effectId: number, now: number): Promise<'revived' | 'not_buried' | 'unknown'>;
}

/** The outbox as the worker uses it. Times are ms since the epoch. */
export interface Outbox extends OutboxReads, Omit<OutboxChanges, 'requeue'> {}
