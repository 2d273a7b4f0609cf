import { watchClockSteps } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { createLoop } from '../../platform/loop.ts';
import type { LeasedDelivery, WebhookKey } from '../storage/deliveries/deliveries.ts';
import {
  type Claim,
  claimDeliveries,
  nextDeliveryDueAt,
  resetFutureDeliveries,
  shiftDeliveryTimes,
} from '../storage/deliveries/delivery-queue.ts';
import { releaseDelivery } from '../storage/deliveries/settle-delivery.ts';
import { attemptDelivery, type DeliveryContext, webhookResponseTimeoutMs } from './attempt.ts';

/** Concurrent requests, in total and per webhook, so that a slow receiver does not delay the others. */
const maxInFlight = 32;
const maxPerWebhook = 8;
/** Twice the two requests of an attempt. When a lease ends, another process may claim the delivery. */
const leaseMs = 4 * webhookResponseTimeoutMs;
/**
 * A longer lease was taken before the clock was set back (ms). The minute is for processes whose clocks differ, and that
 * take leases while another one reads its clock.
 */
const maxLeaseMs = leaseMs + minute;
/** Maximum time between two polls, for deliveries that other processes queued and do not send. */
const maxPollMs = 5 * second;
const stopGraceMs = 2 * second;
const errorDelayMs = 5 * second;

/** Starts the worker that sends queued deliveries. */
export function startWebhookDispatcher(context: DeliveryContext, log: Log) {
  const { database, clock } = context;
  const clockStep = watchClockSteps(clock);
  const aborting = new AbortController();
  const inFlight = new Map<Promise<void>, WebhookKey>();
  let isAdjustedAtStart = false;
  let failure: string | null = null;
  let pauseMs = maxPollMs;
  let mayWake = true;

  async function send(delivery: LeasedDelivery): Promise<void> {
    try {
      const attempt = await attemptDelivery(delivery, context, aborting.signal);
      if (attempt === null) await releaseDelivery(database, delivery);
      else log.debug({ delivery: delivery.id, status: attempt.status, error: attempt.error }, 'webhook attempted');
    } catch (thrown) {
      log.error({ delivery: delivery.id, error: messageOf(thrown) }, 'a webhook attempt could not be stored');
    }
  }

  function capacitiesWith(claimed: readonly WebhookKey[]): Claim['capacities'] {
    const capacities = new Map<string, Claim['capacities'][number]>();
    for (const { listingId, family } of [...inFlight.values(), ...claimed]) {
      const name = `${listingId} ${family}`;
      const { capacity } = capacities.get(name) ?? { capacity: maxPerWebhook };
      capacities.set(name, { listingId, family, capacity: capacity - 1 });
    }
    return [...capacities.values()];
  }

  /**
   * Claims as many as may be sent now, in one transaction, because it waits for the votes that are committed before it.
   * @returns when to claim again (ms since the epoch), unless a request ends earlier; null if nothing is going to be due
   */
  async function claimAvailable(): Promise<number | null> {
    const { claimed, dueAt } = await database.transaction().execute(async (sql) => {
      const deliveries: LeasedDelivery[] = [];
      const now = clock.now();
      for (;;) {
        const limit = maxInFlight - inFlight.size - deliveries.length;
        if (limit <= 0) break;
        const capacities = capacitiesWith(deliveries);
        const claim = { now, leaseUntil: now + leaseMs, limit, maxPerWebhook, capacities };
        const heads = await claimDeliveries(sql, database.dialect, claim);
        if (heads.length === 0) break;
        deliveries.push(...heads);
      }
      return { claimed: deliveries, dueAt: await nextDeliveryDueAt(sql, now) };
    });
    for (const delivery of claimed) {
      const task = send(delivery).finally(() => {
        inFlight.delete(task);
        nudge();
      });
      inFlight.set(task, delivery);
    }
    return dueAt;
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
      if (signal.aborted) return;
      // A due delivery that cannot be claimed waits for a finished request, which nudges.
      const dueAt = await claimAvailable();
      failure = null;
      pauseMs = dueAt === null ? maxPollMs : Math.min(Math.max(0, dueAt - clock.now()), maxPollMs);
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
    /** Claims no more deliveries, waits 2 s for those in flight, then aborts the rest, which stay queued. */
    async stop() {
      await loop.stop();
      const timerController = new AbortController();
      void clock.sleep(stopGraceMs, timerController.signal).then(() => aborting.abort());
      await Promise.all(inFlight.keys());
      timerController.abort();
    },
  };
}
