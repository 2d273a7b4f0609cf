import { type Clock, watchClockSteps } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { createChannelCooldowns } from './channel-cooldowns.ts';
import type { AttemptResult, Effect, EffectHandler } from './effect.ts';
import { createOutage } from './outage.ts';
import type { Outbox } from './outbox.ts';
import { backoff, type RetryPolicy } from './retry.ts';
import { type AttemptedBatch, createSettle } from './settle.ts';

/** Longer than the timeout of an attempt (15 s), so that no other process claims effects that are being sent. */
const leaseMs = 20 * second;
/** Poll interval while no effect is due: other processes also enqueue effects, and cannot nudge this one. */
const idlePollMs = 2 * second;
/** How long `stop` waits for the attempt in progress, and for giving back its lease. */
const stopTimeoutMs = 3 * second;
/** Discord accepts ten embeds in one message. */
const batchSize = 10;

/** The loop that carries out the effects in the outbox. */
export interface Dispatcher {
  start(): void;
  /**
   * Polls immediately, because an effect was enqueued. Ignored during a global pause: Discord is not called more often
   * for new votes.
   */
  nudge(): void;
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
  readonly perform: EffectHandler;
  /**
   * Whether an attempt could succeed; called instead of `perform` during an outage. It must have no side effects and
   * never throw.
   */
  readonly isReachable?: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
  /** Retry delays when Discord gives none; default {@link backoff}. */
  readonly policy?: RetryPolicy;
  /** Called after every attempt, before its result is stored. */
  readonly onAttempt?: (effects: readonly Effect[], attempt: AttemptResult) => void;
}

/**
 * Sends one message at a time: claim, perform, store the result. A database error is logged, and the step is repeated
 * after 2 s.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { outbox, perform, isReachable = async () => true, clock, log, onAttempt = () => {} } = options;
  const { policy = backoff } = options;
  const outage = createOutage(policy);
  const cooldowns = createChannelCooldowns(clock);
  const settle = createSettle({ outbox, outage, cooldowns, policy, clock, log });
  const clockStep = watchClockSteps(clock);
  /** Due times may still be stored that were written before the clock was set back. */
  let wasSetBack = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let pauseAbort = new AbortController();
  let isGloballyPaused = false;
  /** Set by calls during a step, which has no pause to abort yet. */
  let nudged = false;
  let woken = false;
  let inProgress: readonly Effect[] = [];
  /**
   * Stored before anything else is sent: a database that is locked for long would outlast Discord's memory of the
   * nonce.
   */
  let unsettled: AttemptedBatch | undefined;

  /** Claims and attempts one message; undefined when nothing is due outside the paused channels. */
  async function claimAndAttempt(now: number): Promise<AttemptedBatch | undefined> {
    const effects = await outbox.claim(now, now + leaseMs, batchSize, cooldowns.claimFilter(now));
    if (effects.length === 0) return undefined;
    cooldowns.resetSkip();
    inProgress = effects;
    const attempt = await perform(effects);
    inProgress = [];
    onAttempt(effects, attempt);
    return { effects, attempt };
  }

  /** Handles one message. Returns the pause before the next step (ms); 0 when more effects may be due. */
  async function step(): Promise<number> {
    await handleClockStep();
    isGloballyPaused = unsettled === undefined && outage.isActive && !(await isReachable());
    if (isGloballyPaused) return outage.nextProbeDelay(clock.monotonic(), clock.random());
    if (unsettled === undefined) outage.end();
    const now = clock.now();
    unsettled ??= await claimAndAttempt(now);
    if (unsettled !== undefined) {
      const pauseMs = await settle(unsettled);
      unsettled = undefined;
      isGloballyPaused = pauseMs > 0;
      return pauseMs;
    }
    cooldowns.skipUntil(now);
    const waitMs = cooldowns.msUntilNextEnd() ?? (await msUntilDue());
    return waitMs === null ? idlePollMs : Math.min(idlePollMs, Math.max(1, waitMs));
  }

  /** Time until the next effect is due (ms); null when none is waiting. */
  async function msUntilDue(): Promise<number | null> {
    const dueAt = await outbox.nextDueAt();
    return dueAt === null ? null : dueAt - clock.now();
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
    wasSetBack = false;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      woken = false;
      const pauseMs = await step().catch((error: unknown) => {
        if (!stopped) log.error({ reason: messageOf(error) }, 'outbox step failed; retrying');
        return idlePollMs;
      });
      pauseAbort = new AbortController();
      const isInterrupted = stopped || woken || (nudged && !isGloballyPaused);
      if (pauseMs > 0 && !isInterrupted) await clock.sleep(pauseMs, pauseAbort.signal);
      isGloballyPaused = false;
    }
  }

  return {
    start() {
      running ??= run();
    },
    nudge() {
      nudged = true;
      if (!isGloballyPaused) pauseAbort.abort();
    },
    async wake() {
      await outbox.wake(clock.now());
      outage.end();
      woken = true;
      pauseAbort.abort();
    },
    async stop() {
      stopped = true;
      pauseAbort.abort();
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
