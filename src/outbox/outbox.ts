import { minute } from '../platform/durations.ts';
import type { Announcement, Effect } from './effect.ts';
import { maxDelay } from './retry.ts';

/** An effect as it is written beside the event that asks for it. */
export interface NewEffect {
  readonly deliveryId: number;
  readonly kind: Effect['kind'];
  readonly channelId: string;
  readonly announcement: Announcement;
  /** Now (ms since the epoch): it is due at once. */
  readonly createdAt: number;
}

/**
 * No due time lies further ahead (ms): the longest delay, and what the clocks of several machines may differ by. One that does was written
 * before a clock was set back.
 */
export const maxDueAhead = maxDelay + minute;

/** What a claim passes over. */
export interface ClaimFilter {
  /** Ids of channels. */
  readonly channels: readonly string[];
  /** Nothing outside these channels was due until then (ms since the epoch). */
  readonly lookedUntil: number;
}

/** What the outbox needs inside the transaction of an event. */
export interface OutboxWrites {
  enqueue(effect: NewEffect): Promise<void>;
}

/**
 * The outbox as the dispatcher sees it. Every method is a transaction of its own; times are ms since the epoch. What
 * writes rejects with {@link StoreUnavailable} or TallyhookError `queue_full`, what only reads with the driver's own
 * error.
 */
export interface Outbox {
  /**
   * Takes what is due into a lease, at most `limit` effects of one channel, all under one nonce. What was under way together before
   * comes back together, so that a repeat is the same message. What lies further ahead than {@link maxDueAhead}, a lease included, is due.
   * Empty when nothing else is due. Counts the attempt, and notes that
   * from now on nobody knows whether it succeeded. What is said below of what was claimed changes only what waits still.
   */
  claim(now: number, leaseUntil: number, limit: number, except?: ClaimFilter): Promise<readonly Effect[]>;
  done(effects: readonly Effect[], now: number): Promise<void>;
  /** Back to waiting until `dueAt`, with the reason of the last failure. They may be done by now, so they stay together. */
  retry(effects: readonly Effect[], dueAt: number, reason: string): Promise<void>;
  /** The same after an attempt that surely did nothing: unless an earlier one may have, they are free to go with others. */
  release(effects: readonly Effect[], dueAt: number, reason: string): Promise<void>;
  /** Back to waiting as messages of their own, due at once. */
  split(effects: readonly Effect[], reason: string): Promise<void>;
  /** Never again, after an attempt that surely did nothing. What an earlier one may have done stays unsure, should the owner replay it. */
  bury(effects: readonly Effect[], now: number, reason: string): Promise<void>;
  /** The same after an attempt of which nobody knows whether it succeeded. */
  giveUp(effects: readonly Effect[], now: number, reason: string): Promise<void>;
  /** Makes everything that waits without a lease due at once: what held it up has ended. */
  wake(now: number): Promise<void>;
  /** When the next effect is due, its lease included; null when none waits. */
  nextDueAt(): Promise<number | null>;
  /**
   * When the oldest effect that waits was written; null when none waits. The oldest is the first in line or one that was put off, so only
   * these are looked at.
   */
  waitingSince(now: number): Promise<number | null>;
  /** How many wait and how many are buried. */
  sizes(): Promise<{ readonly waiting: number; readonly buried: number }>;
}
