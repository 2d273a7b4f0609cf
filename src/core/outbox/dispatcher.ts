import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { type Clock, watchClockSteps } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { createAttempts, errorPauseMs } from './attempts.ts';
import { createDiscovery } from './discovery.ts';
import type { ClaimedEffect, Perform } from './effect.ts';
import type { Outbox } from './outbox.ts';
import { createQueueRotation } from './queue-rotation.ts';
import { backoff, createOutage, type RetryPolicy } from './retry.ts';
import { createSettle } from './settle.ts';

/** How long `stop` waits for the current step. */
const stopTimeoutMs = 3 * second;

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
  /**
   * The community whose turn a queue takes; the same one, '', for all by default. A failure of a queue may concern its
   * community alone, unless that is ''.
   */
  readonly communityOf?: (queue: string) => string;
  /** How many attempts on one queue may run at one time; 1 by default, so that its effects are carried out in order. */
  readonly attemptsPerQueue?: number;
  /** Whether this process may process a queue now; by default always. */
  readonly isOwn?: (queue: string) => boolean;
  /** Retry delays when Discord gives none; default {@link backoff}. */
  readonly policy?: RetryPolicy;
  /** Called after every attempt, before its result is stored. */
  readonly onAttempt?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/**
 * The loop that carries out the effects in the outbox: claims effects of several queues at a time, performs them and
 * stores the results. A database error is logged, and the step is repeated after 2 s.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { outbox, perform, isReachable = async () => true, clock, log, onAttempt = () => {} } = options;
  const { policy = backoff, newEffectsPollMs = null, communityOf = () => '', isOwn = () => true } = options;
  const outage = createOutage(policy);
  const rotation = createQueueRotation(clock, communityOf, options.attemptsPerQueue);
  const addOwn = (queue: string) => isOwn(queue) && rotation.add(queue);
  const discovery = createDiscovery({
    outbox,
    rotation: {
      add: addOwn,
      addAt(queue, dueAt) {
        if (isOwn(queue)) rotation.addAt(queue, dueAt);
      },
    },
    clock,
    newEffectsPollMs,
  });
  const settle = createSettle({ outbox, outage, rotation, communityOf, policy, clock, log });
  const clockStep = watchClockSteps(clock);
  /** Due times may still be stored that were written before the clock was set back. */
  let wasSetBack = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  /** Ends the current pause; undefined during a step. */
  let pauseAbort: AbortController | undefined;
  /** No attempt starts before (monotonic, ms). */
  let globalPauseUntil = Number.NEGATIVE_INFINITY;
  /** Set by a call during a step, which has no pause to abort yet. */
  let woken = false;
  const attempts = createAttempts({
    outbox,
    perform,
    settle,
    rotation,
    clock,
    log,
    onAttempt,
    onClaimed() {
      if (!isGloballyPaused()) pauseAbort?.abort();
    },
    onEnd(pauseMs) {
      if (pauseMs > 0) pauseAll(pauseMs);
      else if (outage.isActive || !isGloballyPaused()) pauseAbort?.abort();
    },
    onError,
  });

  const isGloballyPaused = () => clock.monotonic() < globalPauseUntil;

  function pauseAll(ms: number): void {
    globalPauseUntil = Math.max(globalPauseUntil, clock.monotonic() + ms);
  }

  function onError(error: unknown): void {
    if (!stopped) log.error({ reason: messageOf(error) }, 'outbox step failed; retrying');
    discovery.restart();
    pauseAll(errorPauseMs);
  }

  /** Starts as many attempts as possible. Returns the pause before the next step (ms). */
  async function step(): Promise<number> {
    await handleClockStep();
    if (isGloballyPaused()) return globalPauseUntil - clock.monotonic();
    if (outage.isActive && !(await isReachable())) {
      pauseAll(outage.nextProbeDelay(clock.monotonic(), clock.random()));
      return globalPauseUntil - clock.monotonic();
    }
    outage.end();
    await discovery.run();
    for (let queue = rotation.next(); queue !== undefined; queue = rotation.next()) {
      if (isOwn(queue)) attempts.start(queue);
      else rotation.finish(queue);
    }
    return Math.max(0, Math.min(rotation.msUntilNext(), discovery.msUntilNext()));
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
        onError(error);
        return errorPauseMs;
      });
      await pause(pauseMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    const isInterrupted = stopped || woken || (rotation.hasNext && !isGloballyPaused());
    if (ms > 0 && !isInterrupted) {
      pauseAbort = new AbortController();
      await clock.sleep(ms, pauseAbort.signal);
      pauseAbort = undefined;
    }
    // SQLite reads without waiting for anything: many steps in a row would hold up requests.
    await yieldToRequests();
  }

  return {
    start(): void {
      running ??= run();
    },
    /**
     * Polls these queues as soon as possible, because an effect was added to one of them. Takes constant time, and does
     * not end pauses of queues nor a global one: Discord is not called more often for new votes.
     */
    nudge(queues: readonly string[]): void {
      for (const queue of queues) {
        if (addOwn(queue) && !isGloballyPaused()) pauseAbort?.abort();
      }
    },
    /** Makes all waiting effects due immediately and ends a global pause. Rejects as {@link Outbox} does. */
    async wake(): Promise<void> {
      await outbox.wake(clock.now());
      outage.end();
      rotation.resumeCommunities();
      globalPauseUntil = Number.NEGATIVE_INFINITY;
      discovery.restart();
      woken = true;
      pauseAbort?.abort();
    },
    /** Ends the pauses of the queues that wait for a target, because Discord may accept requests to it again. */
    resume(target: string): void {
      if (rotation.resume(target) && !isGloballyPaused()) pauseAbort?.abort();
    },
    /** Looks for waiting effects in all queues, because this process may now process other ones. */
    rediscover(): void {
      discovery.restart();
      if (!isGloballyPaused()) pauseAbort?.abort();
    },
    /**
     * Stops, after waiting up to 3 s for the running attempts, whose leases are given back then: a retry has the same
     * nonce, so it is the same message whether or not the attempt succeeds.
     */
    async stop(): Promise<void> {
      stopped = true;
      pauseAbort?.abort();
      const loop = settleWithin(stopTimeoutMs, clock, running ?? Promise.resolve());
      await Promise.all([loop, attempts.stop()]);
    },
  };
}
