import { setImmediate as yieldToRequests } from 'node:timers/promises';
import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { type Clock, watchClockSteps } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { inSpan, type SpanDescription } from '@tallyhook/platform/tracing/span';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { ClaimedEffect, Perform } from './effect-kind.ts';
import type { EffectNotices } from './effect-notices.ts';
import type { Outbox } from './outbox.ts';
import {
  backoff,
  createPerform,
  type EffectHandler,
  guardPerform,
  maxDelayMs,
  maxDelayOf,
  type RequestGuard,
  type RetryPolicy,
} from './perform.ts';
import { type LaneName, laneNames, laneOfQueue, type QueueName, reachesDiscord, stoppedQueue } from './queue.ts';
import { QueueRotation } from './queue-rotation.ts';

/** Longer than the timeout of an attempt (15 s), so that no other process claims effects that are being sent. */
const leaseMs = 20 * second;
/** Pause after a database error. */
const errorPauseMs = 2 * second;
/** Delay before the next claim of a queue whose due effects another process is claiming. */
const claimRetryMs = second / 10;
/** How long `stop` waits for the current step, for the running attempts, and for giving back their leases. */
const stopTimeoutMs = 3 * second;
/** Announcements in one message: Discord accepts ten embeds. */
const batchSize = 10;

interface WorkerOptions {
  readonly outbox: Outbox;
  readonly perform: Perform;
  /** When to repeat effects of a kind to which Discord states no delay; by default {@link backoff}. */
  readonly policyOf?: (kind: string) => RetryPolicy;
  /**
   * True if Discord could be reached; called during an outage, instead of `perform` for effects that need it. It must have
   * no side effects and never throw.
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
  /** How many attempts on one queue of a lane may run at one time; 1 by default, so that its effects are carried out in order. */
  readonly attemptsPerQueue?: Partial<Readonly<Record<LaneName, number>>>;
  /** True if only one attempt on a queue may run now, although its lane allows more; by default never. */
  readonly isOneByOne?: (queue: string) => boolean;
  /** True if this process may process a queue now; by default always. */
  readonly isOwn?: (queue: string) => boolean;
  /** Called after every attempt, before its result is stored. */
  readonly onAttempt?: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}

/**
 * The loop that carries out the effects in the outbox: claims effects of several queues at a time, performs them and
 * stores the results. A database error is logged, and the step is repeated after 2 s.
 */
export class Worker {
  readonly #options: WorkerOptions & Required<Pick<WorkerOptions, 'isOwn'>>;
  readonly #lanes: Readonly<Record<LaneName, Lane>>;
  readonly #discovery: ReturnType<typeof createDiscovery>;
  readonly #settler: Settler;
  readonly #clockStep: () => number;
  /** Due times may still be stored that were written before the clock was set back. */
  #wasSetBack = false;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** Ends the current pause; undefined during a step. */
  #pauseAbort: AbortController | undefined;
  /** Set by a call during a step, which has no pause to abort yet. */
  #isWoken = false;
  /** No step before (monotonic, ms). */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #attempts = new Set<Promise<void>>();
  readonly #inProgress = new Set<readonly ClaimedEffect[]>();

  constructor(options: WorkerOptions) {
    const { outbox, clock, log, isReachable, communityOf, attemptsPerQueue = {}, isOneByOne } = options;
    const { newEffectsPollMs = null } = options;
    this.#options = { isOwn: () => true, ...options };
    const lanes = laneNames.map((name) => [
      name,
      new Lane({
        clock,
        communityOf,
        attemptsPerQueue: attemptsPerQueue[name],
        isOneByOne: (attemptsPerQueue[name] ?? 1) > 1 ? isOneByOne : undefined,
        isReachable: reachesDiscord(name) ? isReachable : undefined,
      }),
    ]);
    this.#lanes = Object.fromEntries(lanes) as Record<LaneName, Lane>;
    this.#discovery = createDiscovery({
      outbox,
      rotation: {
        add: (queue) => this.#add(queue),
        addAt: (queue, dueAt) => {
          if (this.#options.isOwn(queue)) this.#laneOf(queue).rotation.addAt(queue, dueAt);
        },
      },
      clock,
      newEffectsPollMs,
    });
    const { policyOf = () => backoff } = options;
    this.#settler = new Settler({ outbox, communityOf: communityOf ?? (() => ''), policyOf, clock, log });
    this.#clockStep = watchClockSteps(clock);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Polls these queues as soon as possible, because an effect was added to one of them. Takes constant time, and does
   * not end pauses of queues nor of a lane: Discord is not called more often for new votes.
   */
  nudge(queues: readonly string[]): void {
    for (const queue of queues) if (this.#add(queue) && this.#laneOf(queue).isReady) this.#interrupt();
  }

  /** Makes all waiting effects due immediately and ends the pauses of lanes. Rejects as {@link Outbox} does. */
  async wake(): Promise<void> {
    await this.#options.outbox.wake(this.#options.clock.now());
    for (const lane of Object.values(this.#lanes)) lane.wake();
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
    this.rediscover();
  }

  /** Ends the pauses of the queues that wait for a target, because Discord may accept requests to it again. */
  resume(target: string): void {
    for (const lane of Object.values(this.#lanes)) if (lane.rotation.resume(target) && lane.isReady) this.#interrupt();
  }

  /** Looks for waiting effects in all queues, because this process may now process other ones. */
  rediscover(): void {
    this.#discovery.restart();
    this.#interrupt();
  }

  /**
   * Stops, after waiting up to 3 s for the running attempts. After that their leases are given back: a retry has the same
   * nonce, so it is the same message whether or not the attempt succeeds.
   */
  async stop(): Promise<void> {
    const { outbox, clock, log } = this.#options;
    this.#stopping.abort();
    this.#interrupt();
    const attempts = settleWithin(stopTimeoutMs, clock, Promise.all(this.#attempts));
    await Promise.all([settleWithin(stopTimeoutMs, clock, this.#running ?? Promise.resolve()), attempts]);
    const effects = [...this.#inProgress].flat();
    if (effects.length === 0) return;
    const returning = outbox
      .retry(effects, clock.now(), 'stopped during the attempt')
      .catch((error: unknown) =>
        log.warn({ reason: messageOf(error) }, 'failed to give back leased effects; their lease ends in 20 s'),
      );
    await settleWithin(stopTimeoutMs, clock, returning);
  }

  #laneOf(queue: string): Lane {
    return this.#lanes[laneOfQueue(queue)];
  }

  #add(queue: string): boolean {
    return this.#options.isOwn(queue) && this.#laneOf(queue).rotation.add(queue);
  }

  /** Has the next step begin at once. */
  #interrupt(): void {
    this.#isWoken = true;
    this.#pauseAbort?.abort();
  }

  #onError(error: unknown): void {
    const { clock, log } = this.#options;
    if (!this.#stopping.signal.aborted) log.error({ reason: messageOf(error) }, 'outbox step failed; retrying');
    this.#discovery.restart();
    this.#pausedUntil = clock.monotonic() + errorPauseMs;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.#step().catch((error: unknown) => {
        this.#onError(error);
        return errorPauseMs;
      });
      await this.#pause(pauseMs);
    }
  }

  /** Starts as many attempts as possible. Returns the pause before the next step (ms). */
  async #step(): Promise<number> {
    await this.#handleClockStep();
    const pausedMs = this.#pausedUntil - this.#options.clock.monotonic();
    if (pausedMs > 0) return pausedMs;
    await this.#discovery.run();
    const pauses = Object.values(this.#lanes).map((lane) =>
      lane.startAttempts(
        (queue) => this.#start(queue, lane),
        () => this.#interrupt(),
      ),
    );
    return Math.max(0, Math.min(...pauses, this.#discovery.msUntilNext()));
  }

  /** After the clock was set back, stored due times lie too far ahead: makes all waiting effects due. */
  async #handleClockStep(): Promise<void> {
    const { outbox, clock, log } = this.#options;
    const step = this.#clockStep();
    if (step < 0) {
      this.#wasSetBack = true;
      log.warn({ byMs: -step }, 'the clock was set back; all waiting effects are due now');
    }
    if (!this.#wasSetBack) return;
    await outbox.wake(clock.now());
    this.#discovery.restart();
    this.#wasSetBack = false;
  }

  async #pause(ms: number): Promise<void> {
    const isPaused = this.#options.clock.monotonic() < this.#pausedUntil;
    const isReady = !isPaused && Object.values(this.#lanes).some((lane) => lane.isReady);
    if (ms > 0 && !isReady && !this.#isWoken && !this.#stopping.signal.aborted) {
      this.#pauseAbort = new AbortController();
      await this.#options.clock.sleep(ms, this.#pauseAbort.signal);
      this.#pauseAbort = undefined;
    }
    // SQLite reads without waiting for anything: many steps in a row would hold up requests.
    await yieldToRequests();
  }

  /** Claims and attempts effects of a queue, and stores the result. */
  #start(queue: string, lane: Lane): void {
    const attempt = this.#options.isOwn(queue) ? this.#attempt(queue, lane) : null;
    if (attempt === null) {
      lane.rotation.finish(queue);
      return;
    }
    this.#attempts.add(attempt);
    void attempt.then(() => this.#attempts.delete(attempt));
  }

  async #attempt(queue: string, lane: Lane): Promise<void> {
    try {
      const batch = await this.#claimAndPerform(queue, lane);
      if (batch !== undefined) {
        await this.#settleUntilStored(batch, lane);
        // More effects of the queue may be due: its next turn is after those of the others.
        lane.rotation.add(queue);
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      lane.rotation.finish(queue);
      this.#interrupt();
    }
  }

  /** Undefined when no effect is due. */
  async #claimAndPerform(queue: string, { rotation }: Lane): Promise<AttemptedBatch | undefined> {
    const { outbox, perform, clock, onAttempt } = this.#options;
    const now = clock.now();
    const dueAt = await outbox.nextDueAt(queue, now);
    if (dueAt === null) return undefined;
    const effects = dueAt > now ? [] : await outbox.claim(queue as QueueName, now, now + leaseMs, batchSize);
    if (effects.length === 0) {
      rotation.addAt(queue, dueAt > now ? dueAt : now + claimRetryMs);
      return undefined;
    }
    if (rotation.add(queue)) this.#interrupt();
    this.#inProgress.add(effects);
    const attempt = await inSpan(
      () => describeAttempt(effects),
      () => perform(effects),
      ({ outcome }) => ({
        attributes: { 'tallyhook.outcome': outcome },
        error: outcome === 'done' ? undefined : outcome,
      }),
    );
    this.#inProgress.delete(effects);
    onAttempt?.(effects, attempt);
    return { effects, attempt };
  }

  /**
   * After a database error, the result is stored again until that succeeds: the queue has no other attempt before, because
   * a database that is locked for long would outlast Discord's memory of the nonce.
   */
  async #settleUntilStored(batch: AttemptedBatch, lane: Lane): Promise<void> {
    for (;;) {
      try {
        return await this.#settler.settle(batch, lane);
      } catch (error) {
        if (this.#stopping.signal.aborted) throw error;
        this.#onError(error);
        await this.#options.clock.sleep(errorPauseMs, this.#stopping.signal);
      }
    }
  }
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

/** The worker of a process. It processes the queues that `owns` says, of the lanes that are there. */
export function createWorker(
  options: Omit<WorkerOptions, 'perform' | 'policyOf' | 'isOwn' | 'onAttempt'> & {
    /** Carry out the effects of their kinds. */
    readonly handlers: readonly EffectHandler[];
    readonly owns: { readonly [Name in LaneName]?: (queue: string) => boolean };
    /** Knows what Discord rejects; by default nothing. */
    readonly guard?: RequestGuard | undefined;
    readonly notices: Pick<EffectNotices, 'listen'>;
    readonly metrics: { readonly attempts: { inc(labels: { kind: string; outcome: string }): void } };
    readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
  },
): Worker {
  const { handlers, owns, guard, notices, metrics, onAttempted, ...others } = options;
  const perform = createPerform(handlers);
  const policies = new Map(handlers.map(({ kind, policy = backoff }) => [kind, policy]));
  const worker = new Worker({
    ...others,
    perform: guard === undefined ? perform : guardPerform(perform, guard),
    policyOf: (kind) => policies.get(kind) ?? backoff,
    isOwn: (queue) => owns[laneOfQueue(queue)]?.(queue) ?? false,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      onAttempted(effects, attempt);
    },
  });
  notices.listen((queues) => worker.nudge(queues));
  return worker;
}

/**
 * Queues whose attempts share a limit of how many run at one time, and an outage: those of one lane do not delay those of
 * another. Times are monotonic (ms).
 */
class Lane {
  readonly rotation: QueueRotation;
  /** Since when no effect can succeed; null outside of an outage. */
  #outageSince: number | null = null;
  #probes = 0;
  #isProbing = false;
  /** No attempt starts before. */
  #pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #clock: Clock;
  readonly #isReachable: () => Promise<boolean>;

  /** @param isReachable whether an attempt could succeed; called instead of attempts during an outage. It must never throw */
  constructor(options: {
    readonly clock: Clock;
    readonly communityOf?: ((queue: string) => string) | undefined;
    readonly attemptsPerQueue?: number | undefined;
    readonly isOneByOne?: ((queue: string) => boolean) | undefined;
    readonly isReachable?: (() => Promise<boolean>) | undefined;
  }) {
    const { clock, communityOf, attemptsPerQueue, isOneByOne, isReachable = async () => true } = options;
    this.#clock = clock;
    this.#isReachable = isReachable;
    this.rotation = new QueueRotation(clock, communityOf, attemptsPerQueue, isOneByOne);
  }

  /** True if an attempt could start now. */
  get isReady(): boolean {
    return this.rotation.hasNext && !this.isPaused && !this.#isProbing;
  }

  get isPaused(): boolean {
    return this.#clock.monotonic() < this.#pausedUntil;
  }

  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonic() + ms);
  }

  /**
   * Begins a period in which no effect can succeed. Only probes are sent meanwhile, not messages, so that a single message
   * has an unknown result instead of one per retry.
   */
  beginOutage(): void {
    this.#outageSince ??= this.#clock.monotonic();
  }

  /** Ends all pauses but those of queues. */
  wake(): void {
    this.#endOutage();
    this.rotation.resumeCommunities();
    this.#pausedUntil = Number.NEGATIVE_INFINITY;
  }

  /**
   * Starts as many attempts as possible. Returns the pause before the next step (ms).
   * @param onProbed called after a probe that this has started
   */
  startAttempts(start: (queue: string) => void, onProbed: () => void): number {
    if (this.#isProbing) return Number.POSITIVE_INFINITY;
    if (this.isPaused) return this.#pausedUntil - this.#clock.monotonic();
    if (this.#outageSince !== null) {
      void this.#probe().then(onProbed);
      return Number.POSITIVE_INFINITY;
    }
    for (let queue = this.rotation.next(); queue !== undefined; queue = this.rotation.next()) start(queue);
    return this.rotation.msUntilNext();
  }

  /** Spaces the probes by their number and the age of the outage. */
  async #probe(): Promise<void> {
    this.#isProbing = true;
    const isReachable = await this.#isReachable();
    this.#isProbing = false;
    if (isReachable || this.#outageSince === null) {
      this.#endOutage();
      return;
    }
    this.#probes += 1;
    const age = this.#clock.monotonic() - this.#outageSince;
    const delay = backoff({ attempts: this.#probes, age }, this.#clock.random());
    this.pause(delay === 'bury' ? maxDelayMs : delay);
  }

  #endOutage(): void {
    this.#outageSince = null;
    this.#probes = 0;
  }
}

/** Added at random to a delay that Discord requires, to spread the retries. */
const maxJitterMs = second / 4;
/** Effects of a stopped queue that are buried in one transaction. */
const buriedAtOnce = 500;

/** The effects of one claim and the result of the attempt to carry them out. */
interface AttemptedBatch {
  readonly effects: readonly ClaimedEffect[];
  readonly attempt: AttemptResult;
}

interface SettlerOptions {
  readonly outbox: Outbox;
  readonly communityOf: (queue: string) => string;
  /** When to repeat effects of a kind to which Discord states no delay. */
  readonly policyOf: (kind: string) => RetryPolicy;
  readonly clock: Clock;
  readonly log: Log;
}

/** Stores the results of attempts, and has a lane pause for what they say. Rejects as {@link Outbox} does. */
class Settler {
  readonly #options: SettlerOptions;

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  async settle({ effects, attempt }: AttemptedBatch, lane: Lane): Promise<void> {
    const { outbox, clock, log } = this.#options;
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
        return this.#retryLater(effects, attempt, now, lane);
    }
  }

  /** Effects wait for their target, the oldest ones not any more. */
  async #park(
    effects: readonly ClaimedEffect[],
    { reason, retryAfterMs = 0 }: RetryLater,
    { target, maxAgeMs }: NonNullable<RetryLater['stop']>,
    now: number,
    { rotation }: Lane,
  ): Promise<void> {
    const { outbox } = this.#options;
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

  async #retryLater(effects: readonly ClaimedEffect[], attempt: RetryLater, now: number, lane: Lane): Promise<void> {
    const { outbox, policyOf, clock } = this.#options;
    if (attempt.stop !== undefined) return this.#park(effects, attempt, attempt.stop, now, lane);
    // A rate limit is not a failure of the effects, so it never ends their retries, however old they are.
    if (attempt.retryAfterMs !== undefined) {
      const delayMs = Math.round(attempt.retryAfterMs + maxJitterMs * clock.random());
      return this.#reschedule(effects, attempt, now, delayMs, lane);
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
    await this.#reschedule(retryable, attempt, now, Math.max(...delays.filter((delay) => delay !== 'bury')), lane);
  }

  async #reschedule(
    effects: readonly ClaimedEffect[],
    attempt: RetryLater,
    now: number,
    delayMs: number,
    lane: Lane,
  ): Promise<void> {
    const { outbox, communityOf, log } = this.#options;
    const { rotation } = lane;
    const { reason } = attempt;
    const isQueueLimit = attempt.retryAfterMs !== undefined && attempt.scope === 'effects';
    // Channel rate limits are routine: a backlog reaches one at every fifth message.
    log[isQueueLimit ? 'debug' : 'warn'](
      { effects: effects.length, attempts: maxAttempts(effects), retryInMs: delayMs, reason },
      'effects will be retried',
    );
    // A longer pause is only kept in memory: a stored due time far ahead would look like one from a wrong clock.
    const queue = effects[0]?.queue ?? '';
    const dueAt = now + Math.min(delayMs, maxDelayOf(queue));
    await (attempt.notSent ? outbox.release(effects, dueAt, reason) : outbox.retry(effects, dueAt, reason));
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
}

function maxAttempts(effects: readonly ClaimedEffect[]): number {
  return Math.max(...effects.map(({ attempts }) => attempts));
}

/** Time between two passes over all queues with waiting effects. */
const passIntervalMs = 2 * second;
/** Queues read at once: about 1 ms, because SQLite blocks the thread. */
const queuesPerSlice = 100;
/** Time between two slices of a pass: with thousands of queues, a pass takes seconds instead of the whole thread. */
const sliceIntervalMs = second / 20;
/** Planned effects that enter their queues at once. */
const plannedPerSlice = 100;
/** How long transactions may take to commit after one with higher ids; those that take longer are found by a pass. */
const maxCommitDelayMs = 2 * second;

/**
 * Finds the queues with due effects that nobody reported: of other processes, from before a restart, or retries.
 * @param newEffectsPollMs how often to look for new effects of other processes (ms); null if only the passes find them.
 *   Its cost does not depend on the number of queues or of waiting effects.
 */
export function createDiscovery(options: {
  outbox: Outbox;
  rotation: Pick<QueueRotation, 'add' | 'addAt'>;
  clock: Clock;
  newEffectsPollMs: number | null;
}) {
  const { outbox, rotation, clock, newEffectsPollMs } = options;
  let nextSliceAt = clock.monotonic();
  /** Where the current pass continues. */
  let lastQueue = '';
  let nextPlannedAt = clock.monotonic();
  let nextPollAt = newEffectsPollMs === null ? Number.POSITIVE_INFINITY : clock.monotonic();
  /** The polls whose effects may have been incomplete, oldest first. */
  let polls: { readonly at: number; readonly lastId: number }[] = [];

  async function readSlice(): Promise<void> {
    const now = clock.now();
    const queues = await outbox.queuesAfter(lastQueue, queuesPerSlice, now);
    for (const { queue, dueAt } of queues) {
      if (dueAt <= now) rotation.add(queue);
      else rotation.addAt(queue, dueAt);
    }
    if (queues.length === queuesPerSlice) {
      lastQueue = queues.at(-1)?.queue ?? '';
      nextSliceAt = clock.monotonic() + sliceIntervalMs;
    } else {
      lastQueue = '';
      nextSliceAt = clock.monotonic() + passIntervalMs;
    }
  }

  async function enqueuePlanned(): Promise<void> {
    const now = clock.now();
    const queues = (await outbox.arePlannedDue(now)) ? await outbox.enqueuePlanned(now, plannedPerSlice) : [];
    for (const queue of queues) rotation.add(queue);
    const delayMs = queues.length === plannedPerSlice ? sliceIntervalMs : passIntervalMs;
    nextPlannedAt = clock.monotonic() + delayMs;
  }

  async function pollNewEffects(intervalMs: number): Promise<void> {
    const at = clock.monotonic();
    nextPollAt = at + intervalMs;
    polls = polls.filter((poll) => at - poll.at <= maxCommitDelayMs);
    const { lastId, queues } = await outbox.newEffects(polls[0]?.lastId ?? null);
    polls.push({ at, lastId });
    for (const queue of queues) rotation.add(queue);
  }

  return {
    /** Adds what it finds to the rotation, if it is time to look. */
    async run(): Promise<void> {
      if (newEffectsPollMs !== null && clock.monotonic() >= nextPollAt) await pollNewEffects(newEffectsPollMs);
      if (clock.monotonic() >= nextPlannedAt) await enqueuePlanned();
      if (clock.monotonic() >= nextSliceAt) await readSlice();
    },
    /** Starts a pass over all queues with the next `run`. */
    restart(): void {
      lastQueue = '';
      nextSliceAt = clock.monotonic();
    },
    /** Time until `run` should be called again (ms). */
    msUntilNext: () => Math.min(nextSliceAt, nextPlannedAt, nextPollAt) - clock.monotonic(),
  };
}
