import { startTimer, systemClock, watchClockSteps } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop } from '@tallyhook/platform/loop';
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

export function startWebhookDispatcher(context: DeliveryContext, log: Log) {
  const { database, clock } = context;
  const clockStep = watchClockSteps(clock);
  const queue = new DeliveryQueue(database, clock);
  const slots = new Slots();
  const connections = createConnections();
  const sending = { ...context, connections };
  const unsettled = new Set<Promise<void>>();
  let isAdjustedAtStart = false;
  let failure: string | null = null;
  let pauseMs = maxPollMs;
  let mayWake = true;
  let isStopping = false;
  let claimedAt = Number.NEGATIVE_INFINITY;

  /** Sends a delivery in its turn, lets the next one of its webhook begin, and stores what the receiver answered. */
  async function send(delivery: SendableDelivery): Promise<void> {
    const waitsUntil = clock.monotonic() + maxWaitMs;
    await slots.take(delivery);
    let sent: Sent | null = null;
    const isLate = isStopping || clock.monotonic() > waitsUntil;
    try {
      sent = isLate ? null : await sendDelivery(delivery, sending);
    } finally {
      slots.release(delivery, isLate ? null : sent?.last.error === null);
      nudge();
    }
    if (sent === null || (connections.isClosed() && sent.last.status === null))
      return releaseDelivery(database, delivery);
    await storeAttempts(delivery, sent, context);
    log.debug({ delivery: delivery.id, status: sent.last.status, error: sent.last.error }, 'webhook attempted');
  }

  /**
   * Claims as many as may be sent now. One that is due and cannot be claimed waits for a finished request, which nudges.
   * @returns whether there may be more
   */
  async function claimAvailable(): Promise<boolean> {
    const limits = slots.limits(unsettled.size);
    pauseMs = maxPollMs;
    if (limits.limit === 0) return false;
    const now = clock.now();
    const { deliveries, hasMore, dueAt } = await queue.claim({ ...limits, now, leaseUntil: now + leaseMs });
    for (const delivery of deliveries) {
      const task = send(delivery)
        .catch((thrown: unknown) => {
          log.error({ delivery: delivery.id, error: messageOf(thrown) }, 'a webhook attempt could not be stored');
        })
        .finally(() => {
          unsettled.delete(task);
          nudge();
        });
      unsettled.add(task);
    }
    if (dueAt !== null) pauseMs = Math.min(Math.max(0, dueAt - clock.now()), maxPollMs);
    return hasMore;
  }

  /** Without this, deliveries would be delayed by the amount that the clock was set back. */
  async function adjustToClock(): Promise<void> {
    const now = clock.now();
    if (!isAdjustedAtStart) await resetFutureDeliveries(database, { now, maxLeaseMs });
    isAdjustedAtStart = true;
    const stepMs = clockStep();
    if (stepMs >= 0) return;
    log.warn({ byMs: -stepMs }, 'the clock was set back: waiting webhook deliveries were rescheduled');
    await shiftDeliveryTimes(database, { stepMs: -stepMs, now, maxLeaseMs });
  }

  const loop = createLoop({
    async round(signal) {
      mayWake = true;
      await adjustToClock();
      await systemClock.sleep(Math.max(0, claimedAt + claimPauseMs - systemClock.monotonic()), signal);
      if (signal.aborted) return false;
      claimedAt = systemClock.monotonic();
      const hasMore = await claimAvailable();
      failure = null;
      return hasMore;
    },
    pauseMs: () => pauseMs,
    onError(error) {
      failure = `The webhook queue cannot be read: ${messageOf(error)}`;
      pauseMs = errorDelayMs;
      mayWake = false;
      log.error({ error: messageOf(error) }, 'cannot read the webhook queue');
    },
    clock,
  });
  loop.start();

  /** Polls now, because a delivery was queued, except in the pause after an error. */
  function nudge(): void {
    if (mayWake) loop.wake();
  }

  return {
    nudge,
    /** Why the queue could not be read the last time; null if it could. */
    failure: () => failure,
    /** Begins no more requests, waits 2 s for those in flight, then aborts the rest. What was not answered stays queued. */
    async stop() {
      isStopping = true;
      await loop.stop();
      const stopTimer = startTimer(clock, stopGraceMs, connections.close);
      await Promise.all(unsettled);
      stopTimer();
      connections.close();
    },
  };
}
