import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AppDependencies } from '../app/app.ts';
import type { Clock } from '../platform/clock.ts';
import type { RecordedDelivery } from '../tally/tally.ts';
import { deliveryEvent, deliveryTitle } from './delivery-title.ts';
import type { Step, TimelineDelivery, TimelineLine } from './page/ports.ts';

/** What of an accepted delivery is needed to send the very same again. */
export interface CapturedDelivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sees every delivery that reaches the bot, from its first byte to its announcement. */
export interface Deliveries {
  /** The last one that was signed well; null before there was one. */
  readonly last: CapturedDelivery | null;
  /** To be put around the bot's HTTP. */
  wrapListener(listener: RequestListener): RequestListener;
  readonly onRecorded: (onRecorded: RecordedDelivery) => void;
  readonly onAttempted: NonNullable<AppDependencies['onAttempted']>;
}

/** Those whose announcements may still come. */
const maxTracked = 500;

interface TrackedDelivery {
  readonly id: number;
  readonly at: number;
  readonly began: number;
  title: string;
  event: string | null;
  readonly steps: Step[];
  isSettled: boolean;
}

export function createDeliveries(options: {
  clock: Clock;
  /** The time that really passes. */
  stopwatch: Clock;
  nameOf: (userId: string) => string;
  /** What a channel is called, by its id. */
  channelName: (channelId: string) => string;
  emit: (item: TimelineDelivery | TimelineLine) => void;
}): Deliveries {
  const { clock, stopwatch, nameOf, channelName, emit } = options;
  /** The request that is being handled: what is recorded meanwhile is its delivery. */
  const current = new AsyncLocalStorage<TrackedDelivery>();
  const byDelivery = new Map<number, TrackedDelivery>();
  let last: CapturedDelivery | null = null;
  let count = 0;

  function addStep(delivery: TrackedDelivery, step: Omit<Step, 'at' | 'afterMs'>, isSettled = false): void {
    delivery.steps.push({ ...step, at: clock.now(), afterMs: Math.max(0, stopwatch.monotonic() - delivery.began) });
    delivery.isSettled = isSettled;
    const { id, at, title, event, steps } = delivery;
    emit({ kind: 'delivery', id, at, title, event, steps: [...steps], isSettled });
  }

  function track(request: IncomingMessage, response: ServerResponse): TrackedDelivery {
    count += 1;
    const delivery: TrackedDelivery = {
      id: count,
      at: clock.now(),
      began: stopwatch.monotonic(),
      title: 'A delivery',
      event: null,
      steps: [],
      isSettled: false,
    };
    const body = captureBody(request, () => {
      delivery.title = deliveryTitle(body(), nameOf);
      delivery.event = deliveryEvent(body());
    });
    const responseText = captureResponseText(response);
    addStep(delivery, { name: 'received', tone: 'plain', text: 'Received' });
    response.on('finish', () => {
      if (response.statusCode === 200)
        last = { path: request.url ?? '/', headers: resendableHeaders(request), body: body() };
      else
        addStep(
          delivery,
          { name: 'refused', tone: 'bad', text: rejectionText(response.statusCode, responseText()) },
          true,
        );
    });
    return delivery;
  }

  function remember(deliveryId: number, delivery: TrackedDelivery): void {
    byDelivery.set(deliveryId, delivery);
    const [oldest] = byDelivery.keys();
    if (byDelivery.size > maxTracked && oldest !== undefined) byDelivery.delete(oldest);
  }

  return {
    get last() {
      return last;
    },
    wrapListener: (listener) => (request, response) => {
      if (!/^\/webhooks\b/.test(request.url ?? '')) return listener(request, response);
      return current.run(track(request, response), () => listener(request, response));
    },
    onRecorded({ outcome, deliveryId, credits, reason }) {
      const delivery = current.getStore();
      if (delivery === undefined) {
        const text = `Delivery ${deliveryId} was replayed: ${outcome}`;
        emit({ kind: 'line', at: clock.now(), source: 'bot', tone: 'plain', text });
        return;
      }
      remember(deliveryId, delivery);
      addStep(delivery, { name: 'verified', tone: 'good', text: 'Signature verified' });
      switch (outcome) {
        case 'recorded':
          addStep(delivery, { name: 'recorded', tone: 'good', text: 'Recorded and committed' });
          return addStep(delivery, creditStep(credits, reason));
        case 'duplicate':
          return addStep(
            delivery,
            { name: 'duplicate', tone: 'plain', text: 'Duplicate: known already, pays nothing' },
            true,
          );
        case 'test':
          return addStep(delivery, { name: 'test', tone: 'good', text: 'A test: recorded, pays nothing' });
        case 'quarantined': {
          const why = reason === null ? '' : `: ${reason}`;
          return addStep(delivery, { name: 'quarantined', tone: 'bad', text: `Quarantined, kept whole${why}` }, true);
        }
      }
    },
    onAttempted(effects, attempt) {
      for (const { deliveryId, channelId } of effects) {
        const step = attemptStep(attempt, channelName(channelId));
        const delivery = byDelivery.get(deliveryId);
        if (delivery !== undefined) addStep(delivery, step, step.name !== 'waiting');
        else
          emit({
            kind: 'line',
            at: clock.now(),
            source: 'bot',
            tone: step.tone,
            text: `A delivery of before: ${step.text}`,
          });
      }
    },
  };
}

type StepText = Omit<Step, 'at' | 'afterMs'>;

function creditStep(credits: number, reason: string | null): StepText {
  const why = reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`;
  if (credits === 0) return { name: 'credited', tone: 'plain', text: `No credits${why}` };
  return { name: 'credited', tone: 'good', text: `+${credits} ${credits === 1 ? 'credit' : 'credits'}${why}` };
}

function attemptStep(attempt: Parameters<Deliveries['onAttempted']>[1], channel: string): StepText {
  switch (attempt.outcome) {
    case 'done':
      return { name: 'announced', tone: 'good', text: `Announced in ${channel}` };
    case 'bury':
      return { name: 'buried', tone: 'bad', text: `Not announced: ${attempt.reason}` };
    default:
      return { name: 'waiting', tone: 'bad', text: `Waits to be announced: ${attempt.reason}` };
  }
}

/** The bytes of the body, as they arrive: to listen for them would take them from the handler. `onWhole` comes before it has them all. */
function captureBody(request: IncomingMessage, onWhole: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  request.push = new Proxy(request.push, {
    apply(push, self, args: [Buffer | null]) {
      if (args[0] === null) onWhole();
      else chunks.push(args[0]);
      return Reflect.apply(push, self, args) as boolean;
    },
  });
  return () => Buffer.concat(chunks);
}

/** The text with which the handler ends its answer. */
function captureResponseText(response: ServerResponse): () => string {
  let text = '';
  response.end = new Proxy(response.end, {
    apply(end, self, args: unknown[]) {
      if (typeof args[0] === 'string') text = args[0];
      return Reflect.apply(end, self, args) as ServerResponse;
    },
  });
  return () => text;
}

function resendableHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('x-webhook'),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function rejectionText(status: number, responseText: string): string {
  try {
    const { error } = JSON.parse(responseText) as { error?: unknown };
    if (typeof error === 'string') return `Refused (${status}): ${error}`;
  } catch {
    // No JSON: the status says enough.
  }
  return `Refused (${status})`;
}
