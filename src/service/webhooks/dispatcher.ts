import { watchClockSteps } from '../../platform/clock.ts';
import { minute, second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { moveAlong, recall } from '../storage/clock-changes.ts';
import {
  claimNext,
  nextDueAt,
  releaseDelivery,
  type WebhookChannel,
  type WebhookDelivery,
} from '../storage/deliveries.ts';
import { answerTimeout, attemptDelivery, type DeliveryContext } from './attempt.ts';

/** The loop that sends what is queued. */
export interface WebhookDispatcher {
  /** Something was queued: look now. */
  readonly nudge: () => void;
  /** Takes no more, lets what is in flight finish for a moment, then lets go of it; it stays queued. */
  readonly stop: () => Promise<void>;
}

/** At once, over all listings, and per channel, so that one slow receiver does not keep the others waiting. */
const mostInFlight = 16;
const mostPerChannel = 4;
/** Twice the two tries that an attempt may take; after it, whoever held the delivery counts as dead. */
const lease = 4 * answerTimeout;
/** Also without a nudge it looks this often, for what other processes queued. */
const longestWait = 1 * minute;
const grace = 2 * second;

export function startWebhookDispatcher(sending: DeliveryContext, log: Log): WebhookDispatcher {
  const { database, clock } = sending;
  const clockStep = watchClockSteps(clock);
  const stopping = new AbortController();
  const abandoning = new AbortController();
  const inFlight = new Map<Promise<void>, WebhookChannel>();
  let wake = new AbortController();
  let isRecalled = false;

  const nudge = (): void => wake.abort();

  async function send(delivery: WebhookDelivery): Promise<void> {
    try {
      const attempt = await attemptDelivery(delivery, sending, abandoning.signal);
      if (attempt === null) await releaseDelivery(database, delivery.id);
      else log.debug({ delivery: delivery.id, status: attempt.status, error: attempt.error }, 'webhook attempted');
    } catch (thrown) {
      log.error({ delivery: delivery.id, error: messageOf(thrown) }, 'a webhook attempt could not be written down');
    }
  }

  function full(): WebhookChannel[] {
    const channels = new Map<string, { channel: WebhookChannel; count: number }>();
    for (const channel of inFlight.values()) {
      const name = `${channel.listingId} ${channel.family}`;
      channels.set(name, { channel, count: (channels.get(name)?.count ?? 0) + 1 });
    }
    return [...channels.values()].filter(({ count }) => count >= mostPerChannel).map(({ channel }) => channel);
  }

  async function takeAll(): Promise<void> {
    while (!stopping.signal.aborted && inFlight.size < mostInFlight) {
      const now = clock.now();
      const delivery = await claimNext(database, { now, leaseUntil: now + lease, except: full() });
      if (delivery === null) return;
      const sent = send(delivery).finally(() => {
        inFlight.delete(sent);
        nudge();
      });
      inFlight.set(sent, delivery);
    }
  }

  /** What was put off before the clock was set back would wait for as long as the step. */
  async function followClock(): Promise<void> {
    const now = clock.now();
    if (!isRecalled) await recall(database, { now, lease });
    isRecalled = true;
    const step = clockStep();
    if (step >= 0) return;
    log.warn({ byMs: -step }, 'the clock was set back: waiting webhooks move along');
    await moveAlong(database, { ms: -step, now, lease });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      wake = new AbortController();
      try {
        await followClock();
        await takeAll();
        const dueAt = await nextDueAt(database);
        const wait = dueAt === null ? longestWait : Math.max(0, dueAt - clock.now());
        // What is due but cannot be taken waits for a place, and a free place nudges.
        await clock.sleep(wait === 0 ? longestWait : Math.min(wait, longestWait), wake.signal);
      } catch (thrown) {
        log.error({ error: messageOf(thrown) }, 'the webhook queue cannot be read');
        await clock.sleep(5 * second, stopping.signal);
      }
    }
  }

  const running = run();
  return {
    nudge,
    async stop() {
      stopping.abort();
      nudge();
      await running;
      const finished = new AbortController();
      void clock.sleep(grace, finished.signal).then(() => abandoning.abort());
      await Promise.all(inFlight.keys());
      finished.abort();
    },
  };
}
