import { minute } from '../platform/durations.ts';
import type { Announcement, Effect } from './effect.ts';
import { maxDelayMs } from './retry.ts';

/** An effect as it is inserted together with its event. */
export interface NewEffect {
  readonly deliveryId: number;
  readonly kind: Effect['kind'];
  readonly channelId: string;
  readonly announcement: Announcement;
  /** The current time (ms since the epoch). The effect is due immediately. */
  readonly createdAt: number;
}

/**
 * The furthest a due time can lie in the future: the longest delay plus the clock skew between machines. A later one
 * was written before a clock was set back.
 */
export const maxDueAheadMs = maxDelayMs + minute;

/** A channel with waiting effects. */
export interface WaitingChannel {
  readonly channelId: string;
  /** When its next effect is due or its lease ends (ms since the epoch). */
  readonly dueAt: number;
}

/** The newest effects, of all processes. */
export interface NewEffects {
  /** The highest id of an effect; 0 without effects. */
  readonly lastId: number;
  /** The channels of the new effects that are waiting. */
  readonly channelIds: readonly string[];
}

/** The part of the outbox that the transaction of an event needs. */
export interface OutboxWrites {
  enqueue(effect: NewEffect): void;
}

/**
 * The outbox as the dispatcher uses it. Every method is a separate transaction; times are ms since the epoch. Methods
 * that write reject with {@link StoreUnavailableError} or TallyhookError `queue_full`, methods that only read with the
 * driver's own error.
 */
export interface Outbox {
  /**
   * When the next effect of a channel is due or its lease ends; null when none is waiting. `now` if one is further
   * ahead than {@link maxDueAheadMs}.
   */
  nextDueAt(channelId: string, now: number): Promise<number | null>;
  /**
   * The channels with waiting effects in the order of their ids: at most `limit`, after `channelId`. Due times as
   * {@link Outbox.nextDueAt}.
   */
  channelsAfter(channelId: string, limit: number, now: number): Promise<readonly WaitingChannel[]>;
  /**
   * Effects with an id above `afterId`, of which the newest 20,000 are read; null to read only the last id.
   * Transactions can commit in another order than that of their ids.
   */
  newEffects(afterId: number | null): Promise<NewEffects>;
  /**
   * Leases due effects of a channel: at most `limit`, all with one nonce. Effects that were attempted together are
   * claimed together again, so that a retry is the same message. An effect (or lease) counts as due if it is further
   * ahead than {@link maxDueAheadMs}. Empty when none is due, or while another process claims them. Counts the attempt,
   * and marks its result as unknown from now on.
   *
   * The methods below only update effects that are still waiting.
   */
  claim(channelId: string, now: number, leaseUntil: number, limit: number): Promise<readonly Effect[]>;
  done(effects: readonly Effect[], now: number): Promise<void>;
  /**
   * Retries at `dueAt` after an attempt with an unknown result. The effects keep their nonce, since the message may
   * exist.
   */
  retry(effects: readonly Effect[], dueAt: number, reason: string): Promise<void>;
  /**
   * Retries at `dueAt` after an attempt that certainly sent nothing. Unless an earlier one may have, the effects can
   * join others.
   */
  release(effects: readonly Effect[], dueAt: number, reason: string): Promise<void>;
  /** Makes each effect a message of its own, due immediately. */
  split(effects: readonly Effect[], reason: string): Promise<void>;
  /**
   * Fails the effects permanently after an attempt that certainly sent nothing. Unknown results of earlier attempts
   * remain stored.
   */
  bury(effects: readonly Effect[], now: number, reason: string): Promise<void>;
  /** Fails the effects permanently after an attempt with an unknown result. */
  giveUp(effects: readonly Effect[], now: number, reason: string): Promise<void>;
  /** Makes all waiting effects without a lease due immediately. */
  wake(now: number): Promise<void>;
  /** When the oldest waiting effect was stored; null when none is waiting. */
  waitingSince(now: number): Promise<number | null>;
  /** The number of waiting and of buried effects. */
  sizes(): Promise<{ readonly waiting: number; readonly buried: number }>;
}
