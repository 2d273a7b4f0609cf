import { startTimer, systemClock, watchClockSteps } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type WakeableLoop } from '@tallyhook/platform/loop';
import { createConnections } from '@tallyhook/platform/webhooks/post';
import { DeliveryQueue } from '../storage/deliveries/claim-deliveries.ts';
import { resetFutureDeliveries, shiftDeliveryTimes } from '../storage/deliveries/delivery-queue.ts';
import { releaseDelivery } from '../storage/deliveries/settle-delivery.ts';
import type { SendableDelivery } from '../storage/deliveries/webhooks.ts';
import { type DeliveryContext, type Sent, sendDelivery, storeAttempts, webhookResponseTimeoutMs } from './attempt.ts';
import { Slots } from './slots.ts';

/** Twice the two requests of an attempt. When a lease ends, another process may claim the delivery. */
const leaseMs = 4 * webhookResponseTimeoutMs;
/**
 * A longer lease was taken before the clock was set back (ms). The minute is for processes whose clocks differ, and that
 * take leases while another one reads its clock.
 */
const maxLeaseMs = leaseMs + minute;
/** Maximum time between two polls, for deliveries that other processes queued and do not send. */
const maxPollMs = 5 * second;
/** Minimum time between two claims (ms, of the machine's clock): each takes as long as several votes. */
const claimPauseMs = 10;
/**
 * A delivery that has waited for longer for others of its webhook is released (ms): the webhook may have been changed
 * since, and the lease has to last for an attempt.
 */
const maxWaitMs = 5 * second;
const stopGraceMs = 2 * second;
const errorDelayMs = 5 * second;

/** Sends queued deliveries until it is stopped. */
export class WebhookDispatcher {
  readonly #context: DeliveryContext;
  readonly #log: Log;
  readonly #clockStep: () => number;
  readonly #queue: DeliveryQueue;
  readonly #slots = new Slots();
  readonly #connections = createConnections();
  readonly #loop: WakeableLoop;
  /** Deliveries that are being sent or stored, or wait for their turn. */
  readonly #unsettled = new Set<Promise<void>>();
  #isAdjustedAtStart = false;
  #failure: string | null = null;
  /** Until the next poll. */
  #pauseMs = maxPollMs;
  #mayWake = true;
  #isStopping = false;
  /** When the last claim began (ms, of the machine's clock). */
  #claimedAt = Number.NEGATIVE_INFINITY;

  constructor(context: DeliveryContext, log: Log) {
    const { database, clock } = context;
    this.#context = context;
    this.#log = log;
    this.#clockStep = watchClockSteps(clock);
    this.#queue = new DeliveryQueue(database, clock);
    this.#loop = createLoop({
      round: (signal) => this.#poll(signal),
      pauseMs: () => this.#pauseMs,
      onError: (error) => this.#onError(error),
      clock,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Polls now, because a delivery was queued, except in the pause after an error. */
  nudge(): void {
    if (this.#mayWake) this.#loop.wake();
  }

  /** Why the queue could not be read the last time; null if it could. */
  failure(): string | null {
    return this.#failure;
  }

  /** Begins no more requests, waits 2 s for those in flight, then aborts the rest. What was not answered stays queued. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#loop.stop();
    const stopTimer = startTimer(this.#context.clock, stopGraceMs, this.#connections.close);
    await Promise.all(this.#unsettled);
    stopTimer();
    this.#connections.close();
  }

  async #poll(signal: AbortSignal): Promise<boolean> {
    this.#mayWake = true;
    await this.#adjustToClock();
    await systemClock.sleep(Math.max(0, this.#claimedAt + claimPauseMs - systemClock.monotonic()), signal);
    if (signal.aborted) return false;
    this.#claimedAt = systemClock.monotonic();
    const hasMore = await this.#claimAvailable();
    this.#failure = null;
    return hasMore;
  }

  #onError(error: unknown): void {
    this.#failure = `The webhook queue cannot be read: ${messageOf(error)}`;
    this.#pauseMs = errorDelayMs;
    this.#mayWake = false;
    this.#log.error({ error: messageOf(error) }, 'cannot read the webhook queue');
  }

  /** Without this, deliveries would be delayed by the amount that the clock was set back. */
  async #adjustToClock(): Promise<void> {
    const { database, clock } = this.#context;
    const now = clock.now();
    if (!this.#isAdjustedAtStart) await resetFutureDeliveries(database, { now, maxLeaseMs });
    this.#isAdjustedAtStart = true;
    const stepMs = this.#clockStep();
    if (stepMs >= 0) return;
    this.#log.warn({ byMs: -stepMs }, 'the clock was set back: waiting webhook deliveries were rescheduled');
    await shiftDeliveryTimes(database, { stepMs: -stepMs, now, maxLeaseMs });
  }

  /**
   * Claims as many as may be sent now. One that is due and cannot be claimed waits for a finished request, which nudges.
   * @returns whether there may be more
   */
  async #claimAvailable(): Promise<boolean> {
    const { clock } = this.#context;
    const limits = this.#slots.limits(this.#unsettled.size);
    this.#pauseMs = maxPollMs;
    if (limits.limit === 0) return false;
    const now = clock.now();
    const { deliveries, hasMore, dueAt } = await this.#queue.claim({ ...limits, now, leaseUntil: now + leaseMs });
    for (const delivery of deliveries) {
      const task = this.#send(delivery)
        .catch((thrown: unknown) => {
          this.#log.error({ delivery: delivery.id, error: messageOf(thrown) }, 'a webhook attempt could not be stored');
        })
        .finally(() => {
          this.#unsettled.delete(task);
          this.nudge();
        });
      this.#unsettled.add(task);
    }
    if (dueAt !== null) this.#pauseMs = Math.min(Math.max(0, dueAt - clock.now()), maxPollMs);
    return hasMore;
  }

  /** Sends a delivery in its turn, lets the next one of its webhook begin, and stores what the receiver answered. */
  async #send(delivery: SendableDelivery): Promise<void> {
    const { database, clock } = this.#context;
    const connections = this.#connections;
    const waitsUntil = clock.monotonic() + maxWaitMs;
    await this.#slots.take(delivery);
    let sent: Sent | null = null;
    const isLate = this.#isStopping || clock.monotonic() > waitsUntil;
    try {
      sent = isLate ? null : await sendDelivery(delivery, { ...this.#context, connections });
    } finally {
      this.#slots.release(delivery, isLate ? null : sent?.last.error === null);
      this.nudge();
    }
    if (sent === null || (connections.isClosed() && sent.last.status === null))
      return releaseDelivery(database, delivery);
    await storeAttempts(delivery, sent, this.#context);
    const { status, error } = sent.last;
    this.#log.debug({ delivery: delivery.id, status, error }, 'webhook attempted');
  }
}
