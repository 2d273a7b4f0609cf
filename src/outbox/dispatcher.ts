import { type Clock, watchClockSteps } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { createChannelCooldowns } from './channel-cooldowns.ts';
import type { AttemptResult, Effect, EffectHandler, RetryLater } from './effect.ts';
import { createOutage } from './outage.ts';
import type { Outbox } from './outbox.ts';
import { backoff, maxDelay, type RetryPolicy } from './retry.ts';

/** Longer than an attempt takes (15 s), so that nobody else begins what is under way; were one longer, its nonce would still make it one. */
const lease = 20 * second;
/** How long it rests when nothing is due: other processes write effects too, and nobody nudges across processes. */
const rest = 2 * second;
/** How long an attempt under way may take when it stops. */
const grace = 3 * second;
/** Discord takes ten embeds in one message. */
const together = 10;
/** Where it was said how long to wait, this much at most is added (ms), so that not all come back in the same moment. */
const jitter = second / 4;

/** The loop that does what the outbox holds. */
export interface Dispatcher {
  start(): void;
  /** Looks at once: something new is waiting. During a hold-off it changes nothing, or every vote would knock at a Discord that is down. */
  nudge(): void;
  /** What held effects up has ended: all that waits is due now, a hold-off included. Rejects as {@link Outbox} does. */
  wake(): Promise<void>;
  /**
   * Stops; an attempt under way may take a moment to finish. One that takes longer is given back, due at once: under the same nonce it
   * is the same message, whatever becomes of it.
   */
  stop(): Promise<void>;
}

/** What was done or tried, and what became of it. */
interface AttemptedBatch {
  readonly effects: readonly Effect[];
  readonly attempt: AttemptResult;
}

/**
 * One message's worth at a time: claimed, performed, and written down before the next. A database that fails is told in
 * the log, and tried again after 2 s.
 */
export function createDispatcher(options: {
  outbox: Outbox;
  perform: EffectHandler;
  /** Whether anything could succeed at all; asked while nothing does. It must change nothing and never throw. */
  isReachable?: () => Promise<boolean>;
  clock: Clock;
  log: Log;
  /** When to try again where Discord has not said; {@link backoff} unless given. */
  policy?: RetryPolicy;
  /** Told of every attempt, before what became of it is written down. */
  onAttempt?: (effects: readonly Effect[], attempt: AttemptResult) => void;
}): Dispatcher {
  const { outbox, perform, isReachable = async () => true, clock, log, onAttempt = () => {} } = options;
  const { policy = backoff } = options;
  const outage = createOutage(policy);
  const rests = createChannelCooldowns(clock);
  const clockStep = watchClockSteps(clock);
  /** What waits may still be due at times from before. */
  let wasSetBack = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let alarm = new AbortController();
  let holdingOff = false;
  /** What was called while a step was under way, and so could not cut short a pause. */
  let nudged = false;
  let woken = false;
  let underWay: readonly Effect[] = [];
  /** Comes before anything new: a database that is locked for long would outlast Discord's memory of the nonce. */
  let unsettled: AttemptedBatch | undefined;

  async function settle(effects: readonly Effect[], attempt: AttemptResult): Promise<number> {
    const now = clock.now();
    switch (attempt.outcome) {
      case 'done':
        await outbox.done(effects, now);
        return 0;
      case 'split':
        await outbox.split(effects, attempt.reason);
        return 0;
      case 'bury':
        log.warn(
          { effects: effects.map(({ id }) => id), reason: attempt.reason },
          'effects buried: they can never succeed',
        );
        await outbox.bury(effects, now, attempt.reason);
        return 0;
      case 'later':
        return postpone(effects, attempt, now);
    }
  }

  /** Returns how long everything should hold off (ms), because nothing else would succeed either. */
  async function postpone(effects: readonly Effect[], attempt: RetryLater, now: number): Promise<number> {
    // A pause that Discord asks for is no failure of the effects, however old they are.
    if (attempt.retryAfterMs !== undefined) {
      return putOff(effects, attempt, now, Math.round(attempt.retryAfterMs + jitter * clock.random()));
    }
    const chance = clock.random();
    const delays = effects.map(({ attempts, createdAt }) => policy({ attempts, age: now - createdAt }, chance));
    const tooOld = effects.filter((_, index) => delays[index] === 'bury');
    if (tooOld.length > 0) {
      const reason = `given up after ${mostAttempts(tooOld)} attempts: ${attempt.reason}`;
      await (attempt.surelyNotDone ? outbox.bury(tooOld, now, reason) : outbox.giveUp(tooOld, now, reason));
    }
    const young = effects.filter((effect) => !tooOld.includes(effect));
    if (young.length === 0) return 0;
    return putOff(young, attempt, now, Math.max(...delays.filter((delay) => delay !== 'bury')));
  }

  async function putOff(effects: readonly Effect[], attempt: RetryLater, now: number, wait: number): Promise<number> {
    const isRest = attempt.retryAfterMs !== undefined && !attempt.everything;
    // A limit that Discord sets to a channel is everyday business: a backlog meets it at every fifth message.
    log[isRest ? 'debug' : 'warn'](
      { effects: effects.length, attempts: mostAttempts(effects), retryInMs: wait, reason: attempt.reason },
      'effects wait for another try',
    );
    const { reason } = attempt;
    // A longer rest is kept in memory: a due time far ahead could not be told from one that a wrong clock has written.
    const dueAt = now + Math.min(wait, maxDelay);
    await (attempt.surelyNotDone ? outbox.release(effects, dueAt, reason) : outbox.retry(effects, dueAt, reason));
    if (attempt.everything) {
      outage.begin(clock.monotonic());
      return wait;
    }
    if (isRest) for (const { channelId } of effects) rests.start(channelId, wait);
    return 0;
  }

  /** Claims one message's worth and attempts it; undefined when nothing is due outside the channels that rest. */
  async function attempted(now: number): Promise<AttemptedBatch | undefined> {
    const effects = await outbox.claim(now, now + lease, together, rests.filterAt(now));
    if (effects.length === 0) return undefined;
    rests.lookAgain();
    underWay = effects;
    const attempt = await perform(effects);
    underWay = [];
    onAttempt(effects, attempt);
    return { effects, attempt };
  }

  /** One message's worth. Returns how long to pause before the next (ms); 0 when there may be more to do right now. */
  async function step(): Promise<number> {
    await followClock();
    holdingOff = unsettled === undefined && outage.isOn && !(await isReachable());
    if (holdingOff) return outage.nextProbeDelay(clock.monotonic(), clock.random());
    if (unsettled === undefined) outage.end();
    const now = clock.now();
    unsettled ??= await attempted(now);
    if (unsettled !== undefined) {
      const hold = await settle(unsettled.effects, unsettled.attempt);
      unsettled = undefined;
      holdingOff = hold > 0;
      return hold;
    }
    rests.nothingElse(now);
    const wait = rests.nextEnd() ?? (await untilDue());
    return wait === null ? rest : Math.min(rest, Math.max(1, wait));
  }

  /** How long until the next effect is due (ms); null when none waits. */
  async function untilDue(): Promise<number | null> {
    const dueAt = await outbox.nextDueAt();
    return dueAt === null ? null : dueAt - clock.now();
  }

  /** Once the clock is set back, due times that were written before would hold up for as long as the step: what waits is due at once. */
  async function followClock(): Promise<void> {
    const step = clockStep();
    if (step < 0) {
      wasSetBack = true;
      log.warn({ byMs: -step }, 'the clock was set back: what waits is due now');
    }
    if (!wasSetBack) return;
    await outbox.wake(clock.now());
    wasSetBack = false;
  }

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      woken = false;
      const pause = await step().catch((error: unknown) => {
        if (!stopped) log.error({ reason: messageOf(error) }, 'the outbox could not be worked on; trying again');
        return rest;
      });
      alarm = new AbortController();
      const called = stopped || woken || (nudged && !holdingOff);
      if (pause > 0 && !called) await clock.sleep(pause, alarm.signal);
      holdingOff = false;
    }
  }

  return {
    start() {
      running ??= run();
    },
    nudge() {
      nudged = true;
      if (!holdingOff) alarm.abort();
    },
    async wake() {
      await outbox.wake(clock.now());
      outage.end();
      woken = true;
      alarm.abort();
    },
    async stop() {
      stopped = true;
      alarm.abort();
      await settleWithin(grace, clock, running ?? Promise.resolve());
      if (underWay.length === 0) return;
      const giving = outbox
        .retry(underWay, clock.now(), 'stopped while it was under way')
        .catch((error: unknown) =>
          log.warn({ reason: messageOf(error) }, 'effects under way could not be given back; they come due in 20 s'),
        );
      await settleWithin(grace, clock, giving);
    },
  };
}

function mostAttempts(effects: readonly Effect[]): number {
  return Math.max(...effects.map(({ attempts }) => attempts));
}
