import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AppDependencies } from '../app/app.ts';
import type { Clock } from '../platform/clock.ts';
import type { RecordedDelivery } from '../tally/tally.ts';
import { eventOf, titleOf } from './delivery-title.ts';
import type { Step, TimelineDelivery, TimelineLine } from './page/ports.ts';

/** What of an accepted delivery is needed to send the very same again. */
export interface SeenDelivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sees every delivery that reaches the bot, from its first byte to its announcement. */
export interface Deliveries {
  /** The last one that was signed well; null before there was one. */
  readonly last: SeenDelivery | null;
  /** To be put around the bot's HTTP. */
  around(listener: RequestListener): RequestListener;
  readonly recorded: (recorded: RecordedDelivery) => void;
  readonly attempted: NonNullable<AppDependencies['onAttempted']>;
}

/** Those whose announcements may still come. */
const remembered = 500;

interface Journey {
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
  tell: (item: TimelineDelivery | TimelineLine) => void;
}): Deliveries {
  const { clock, stopwatch, nameOf, channelName, tell } = options;
  /** The request that is being handled: what is recorded meanwhile is its delivery. */
  const current = new AsyncLocalStorage<Journey>();
  const byDelivery = new Map<number, Journey>();
  let last: SeenDelivery | null = null;
  let count = 0;

  function add(journey: Journey, step: Omit<Step, 'at' | 'afterMs'>, isSettled = false): void {
    journey.steps.push({ ...step, at: clock.now(), afterMs: Math.max(0, stopwatch.monotonic() - journey.began) });
    journey.isSettled = isSettled;
    const { id, at, title, event, steps } = journey;
    tell({ kind: 'delivery', id, at, title, event, steps: [...steps], isSettled });
  }

  function watch(request: IncomingMessage, response: ServerResponse): Journey {
    count += 1;
    const journey: Journey = {
      id: count,
      at: clock.now(),
      began: stopwatch.monotonic(),
      title: 'A delivery',
      event: null,
      steps: [],
      isSettled: false,
    };
    const body = bytesOf(request, () => {
      journey.title = titleOf(body(), nameOf);
      journey.event = eventOf(body());
    });
    const answer = answerOf(response);
    add(journey, { name: 'received', tone: 'plain', text: 'Received' });
    response.on('finish', () => {
      if (response.statusCode === 200) last = { path: request.url ?? '/', headers: headersOf(request), body: body() };
      else add(journey, { name: 'refused', tone: 'bad', text: refusalIn(response.statusCode, answer()) }, true);
    });
    return journey;
  }

  function remember(deliveryId: number, journey: Journey): void {
    byDelivery.set(deliveryId, journey);
    const [oldest] = byDelivery.keys();
    if (byDelivery.size > remembered && oldest !== undefined) byDelivery.delete(oldest);
  }

  return {
    get last() {
      return last;
    },
    around: (listener) => (request, response) => {
      if (!/^\/webhooks\b/.test(request.url ?? '')) return listener(request, response);
      return current.run(watch(request, response), () => listener(request, response));
    },
    recorded({ outcome, deliveryId, credits, reason }) {
      const journey = current.getStore();
      if (journey === undefined) {
        const text = `Delivery ${deliveryId} was replayed: ${outcome}`;
        tell({ kind: 'line', at: clock.now(), where: 'bot', tone: 'plain', text });
        return;
      }
      remember(deliveryId, journey);
      add(journey, { name: 'verified', tone: 'good', text: 'Signature verified' });
      switch (outcome) {
        case 'recorded':
          add(journey, { name: 'recorded', tone: 'good', text: 'Recorded and committed' });
          return add(journey, creditStep(credits, reason));
        case 'duplicate':
          return add(
            journey,
            { name: 'duplicate', tone: 'plain', text: 'Duplicate: known already, pays nothing' },
            true,
          );
        case 'test':
          return add(journey, { name: 'test', tone: 'good', text: 'A test: recorded, pays nothing' });
        case 'quarantined': {
          const why = reason === null ? '' : `: ${reason}`;
          return add(journey, { name: 'quarantined', tone: 'bad', text: `Quarantined, kept whole${why}` }, true);
        }
      }
    },
    attempted(effects, attempt) {
      for (const { deliveryId, channelId } of effects) {
        const step = attemptStep(attempt, channelName(channelId));
        const journey = byDelivery.get(deliveryId);
        if (journey !== undefined) add(journey, step, step.name !== 'waiting');
        else
          tell({
            kind: 'line',
            at: clock.now(),
            where: 'bot',
            tone: step.tone,
            text: `A delivery of before: ${step.text}`,
          });
      }
    },
  };
}

type Said = Omit<Step, 'at' | 'afterMs'>;

function creditStep(credits: number, reason: string | null): Said {
  const why = reason === null ? '' : ` (${reason.replaceAll('_', ' ')})`;
  if (credits === 0) return { name: 'credited', tone: 'plain', text: `No credits${why}` };
  return { name: 'credited', tone: 'good', text: `+${credits} ${credits === 1 ? 'credit' : 'credits'}${why}` };
}

function attemptStep(attempt: Parameters<Deliveries['attempted']>[1], channel: string): Said {
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
function bytesOf(request: IncomingMessage, onWhole: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  request.push = new Proxy(request.push, {
    apply(push, self, given: [Buffer | null]) {
      if (given[0] === null) onWhole();
      else chunks.push(given[0]);
      return Reflect.apply(push, self, given) as boolean;
    },
  });
  return () => Buffer.concat(chunks);
}

/** The text with which the handler ends its answer. */
function answerOf(response: ServerResponse): () => string {
  let text = '';
  response.end = new Proxy(response.end, {
    apply(end, self, given: unknown[]) {
      if (typeof given[0] === 'string') text = given[0];
      return Reflect.apply(end, self, given) as ServerResponse;
    },
  });
  return () => text;
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const wanted = Object.entries(request.headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('x-webhook'),
  );
  return Object.fromEntries(wanted.map(([name, value]) => [name, String(value)]));
}

function refusalIn(status: number, answer: string): string {
  try {
    const { error } = JSON.parse(answer) as { error?: unknown };
    if (typeof error === 'string') return `Refused (${status}): ${error}`;
  } catch {
    // No JSON: the status says enough.
  }
  return `Refused (${status})`;
}
