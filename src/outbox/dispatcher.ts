import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { type Clock, watchClockSteps } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { createDiscovery } from './discovery.ts';
import type { AttemptResult, ClaimedEffect, Perform } from './effect.ts';
import { createOutage } from './outage.ts';
import type { Outbox } from './outbox.ts';
import { createQueueRotation } from './queue-rotation.ts';
import { backoff, type RetryPolicy } from './retry.ts';
import { type AttemptedBatch, createSettle } from './settle.ts';

/** Longer than the timeout of an attempt (15 s), so that no other process claims effects that are being sent. */
const leaseMs = 20 * second;
/** Pause after a database error. */
const errorPauseMs = 2 * second;
/** Delay before the next claim of a queue whose due effects another process is claiming. */
const claimRetryMs = second / 10;
/** How long `stop` waits for the attempt in progress, and for giving back its lease. */
const stopTimeoutMs = 3 * second;
/** Announcements in one message: Discord accepts ten embeds. */
const batchSize = 10;

/** The loop that carries out the effects in the outbox. */
export interface Dispatcher {
  start(): void;
  /**
   * Polls these queues as soon as possible, because an effect was added to one of them. Takes constant time, and does
   * not end pauses of queues nor a global one: Discord is not called more often for new votes.
   */
  nudge(queues: readonly string[]): void;
  /** Makes all waiting effects due immediately and ends a global pause. Rejects as {@link Outbox} does. */
  wake(): Promise<void>;
  /**
   * Stops, after waiting up to 3 s for the attempt in progress. After that its lease is given back: a retry has the
   * same nonce, so it is the same message whether or not the attempt succeeds.
   */
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  readonly outbox: Outbox;
  readonly perform: Perform;
  /**
   * Whether an attempt could succeed; called instead of `perform` during an outage. It must have no side effects and
   * never throw.
   */
  readonly isReachable?: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often to look for effects of other processes (ms); null, the default, to find them within about 2 s. */
  readonly newEffectsPollMs?: number | null;
  /** Retry delays when Discord gives none; default {@link backoff}. */
  readonly policy?: RetryPolicy;
  /** Called after every attempt, before its result is stored. */
  readonly onAttempt?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/**
 * Carries out one claim at a time: claim, perform, store the result. A database error is logged, and the step is repeated
 * after 2 s.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { outbox, perform, isReachable = async () => true, clock, log, onAttempt = () => {} } = options;
  const { policy = backoff, newEffectsPollMs = null } = options;
  const outage = createOutage(policy);
  const rotation = createQueueRotation(clock);
  const discovery = createDiscovery({ outbox, rotation, clock, newEffectsPollMs });
  const settle = createSettle({ outbox, outage, rotation, policy, clock, log });
  const clockStep = watchClockSteps(clock);
  /** Due times may still be stored that were written before the clock was set back. */
  let wasSetBack = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Ends the current pause; undefined during a step. */
  let pauseAbort: AbortController | undefined;
  let isGloballyPaused = false;
  /** Set by a call during a step, which has no pause to abort yet. */
  let woken = false;
  let inProgress: readonly ClaimedEffect[] = [];
  /**
   * Stored before anything else is sent: a database that is locked for long would outlast Discord's memory of the
   * nonce.
   */
  let unsettled: AttemptedBatch | undefined;

  /** Claims and attempts effects of the next queue; undefined when it has none. */
  async function claimAndAttempt(): Promise<AttemptedBatch | undefined> {
    const queue = rotation.next();
    if (queue === undefined) return undefined;
    const now = clock.now();
    const dueAt = await outbox.nextDueAt(queue, now);
    if (dueAt === null) return undefined;
    const effects = dueAt > now ? [] : await outbox.claim(queue, now, now + leaseMs, batchSize);
    if (effects.length === 0) {
      rotation.addAt(queue, dueAt > now ? dueAt : now + claimRetryMs);
      return undefined;
    }
    inProgress = effects;
    const attempt = await perform(effects);
    inProgress = [];
    onAttempt(effects, attempt);
    return { effects, attempt };
  }

  /** Handles one claim. Returns the pause before the next step (ms); 0 when more effects may be due. */
  async function step(): Promise<number> {
    await handleClockStep();
    isGloballyPaused = unsettled === undefined && outage.isActive && !(await isReachable());
    if (isGloballyPaused) return outage.nextProbeDelay(clock.monotonic(), clock.random());
    if (unsettled === undefined) {
      outage.end();
      await discovery.run();
      unsettled = await claimAndAttempt();
    }
    if (unsettled === undefined) return msUntilNextStep();
    const pauseMs = await settle(unsettled);
    // More effects of the queue may be due: its next turn is after those of the others.
    for (const { queue } of unsettled.effects) rotation.add(queue);
    unsettled = undefined;
    isGloballyPaused = pauseMs > 0;
    return pauseMs;
  }

  function msUntilNextStep(): number {
    return rotation.isEmpty ? Math.max(0, Math.min(rotation.msUntilNext(), discovery.msUntilNext())) : 0;
  }

  /** After the clock was set back, stored due times lie too far ahead: makes all waiting effects due. */
  async function handleClockStep(): Promise<void> {
    const step = clockStep();
    if (step < 0) {
      wasSetBack = true;
      log.warn({ byMs: -step }, 'the clock was set back; all waiting effects are due now');
    }
    if (!wasSetBack) return;
    await outbox.wake(clock.now());
    discovery.restart();
    wasSetBack = false;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false;
      const pauseMs = await step().catch((error: unknown) => {
        if (!stopped) log.error({ reason: messageOf(error) }, 'outbox step failed; retrying');
        discovery.restart();
        isGloballyPaused = true;
        return errorPauseMs;
      });
      await pause(pauseMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    const isInterrupted = stopped || woken || (!rotation.isEmpty && !isGloballyPaused);
    if (ms > 0 && !isInterrupted) {
      pauseAbort = new AbortController();
      await clock.sleep(ms, pauseAbort.signal);
      pauseAbort = undefined;
    }
    isGloballyPaused = false;
    // SQLite reads without waiting for anything: many steps in a row would hold up requests.
    await yieldToRequests();
  }

  return {
    start() {
      running ??= run();
    },
    nudge(queues) {
      for (const queue of queues) {
        if (rotation.add(queue) && !isGloballyPaused) pauseAbort?.abort();
      }
    },
    async wake() {
      await outbox.wake(clock.now());
      outage.end();
      discovery.restart();
      woken = true;
      pauseAbort?.abort();
    },
    async stop() {
      stopped = true;
      pauseAbort?.abort();
      await settleWithin(stopTimeoutMs, clock, running ?? Promise.resolve());
      if (inProgress.length === 0) return;
      const returning = outbox
        .retry(inProgress, clock.now(), 'stopped during the attempt')
        .catch((error: unknown) =>
          log.warn({ reason: messageOf(error) }, 'failed to give back leased effects; their lease ends in 20 s'),
        );
      await settleWithin(stopTimeoutMs, clock, returning);
    },
  };
}
