import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { formatCount } from '@tallyhook/platform/durations';
import { parseJson } from '@tallyhook/platform/json';
import type { Tone } from 'local-discord/page';
import { z } from 'zod';
import { bonusCauses, type Cause } from '../core/ledger/entry.ts';
import type { ClaimedEffect } from '../core/outbox/effect-kind.ts';
import { parseQueue } from '../core/outbox/queue.ts';
import type { RecordedDelivery } from '../core/tally/tally.ts';
import { textsIn } from '../texts/texts.ts';
import { isObject } from '../webhook/fields.ts';
import type { Site } from '../webhook/sites/site.ts';
import type { Step, TimelineDelivery, TimelineLine } from './page/ports.ts';

/** Number of deliveries whose announcements are still tracked. */
const maxTracked = 500;

/** @param startedAt monotonic (ms) */
type TrackedDelivery = { -readonly [Name in keyof TimelineDelivery]: TimelineDelivery[Name] } & { startedAt: number };

interface DeliveriesOptions {
  readonly clock: Clock;
  /** Real time. */
  readonly stopwatch: Clock;
  readonly memberName: (userId: string) => string;
  readonly channelName: (channelId: string) => string;
  /** The site whose deliveries come to a path, if it is not the service. By default all come from the service. */
  readonly siteAt?: (path: string) => Site | undefined;
  readonly emit: (item: TimelineDelivery | TimelineLine) => void;
}

/** Observes every delivery to the bot, from its first byte to its announcement. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** Associates a recorded delivery with the HTTP request that is being handled. */
  readonly #current = new AsyncLocalStorage<TrackedDelivery>();
  readonly #tracked = new BoundedMap<TrackedDelivery>(maxTracked);
  /** Whose announcements are not shown. */
  readonly #skipped = new Set<number>();
  #last: CapturedDelivery | null = null;
  #count = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  #addLine(tone: Tone, text: string): void {
    this.#options.emit({ kind: 'line', at: this.#options.clock.now(), source: 'bot', tone, text });
  }

  #addStep(delivery: TrackedDelivery, step: StepText, isSettled = false): void {
    const afterMs = Math.max(0, this.#options.stopwatch.monotonic() - delivery.startedAt);
    // What was not announced for want of a channel is announced once there is one.
    const earlier = delivery.steps.filter(({ name }) => name !== 'unannounced');
    delivery.steps = [...earlier, { ...step, at: this.#options.clock.now(), afterMs }];
    delivery.isSettled = isSettled;
    const { startedAt: _startedAt, ...item } = delivery;
    this.#options.emit(item);
  }

  #track(request: IncomingMessage, response: ServerResponse): TrackedDelivery {
    this.#count += 1;
    const site = this.#options.siteAt?.(request.url ?? '');
    const delivery: TrackedDelivery = {
      kind: 'delivery',
      id: this.#count,
      at: this.#options.clock.now(),
      startedAt: this.#options.stopwatch.monotonic(),
      title: site === undefined ? 'A delivery' : `${site.name} delivery`,
      event: null,
      steps: [],
      isSettled: false,
    };
    const body = captureBody(request, () => {
      const describe = site === undefined ? describeDelivery : describeSiteDelivery(site, this.#options.clock.now());
      Object.assign(delivery, describe(body(), this.#options.memberName));
    });
    const responseText = captureResponseText(response);
    this.#addStep(delivery, { name: 'received', tone: 'plain', text: 'Received' });
    const finish = () => {
      if (response.statusCode === 200) {
        if (delivery.steps.every(({ name }) => !isNoVote(name))) this.#last = capturedDelivery(request, body(), site);
      } else {
        const text = rejectionText(response.statusCode, responseText());
        this.#addStep(delivery, { name: 'refused', tone: 'bad', text }, true);
      }
    };
    // A refusal may be sent before the body has arrived, from which the delivery gets its title.
    response.on('finish', () => (request.complete ? finish() : request.once('close', finish)));
    return delivery;
  }

  /** The last accepted vote or purchase; null if there is none yet. */
  get last(): CapturedDelivery | null {
    return this.#last;
  }

  /** Shows nothing of deliveries that were recorded before the bot has started. */
  skip(deliveryIds: readonly number[]): void {
    for (const id of deliveryIds) this.#skipped.add(id);
  }

  /** Wraps the bot's HTTP listener. */
  readonly wrapListener =
    (listener: RequestListener): RequestListener =>
    (request, response) => {
      if (!/^\/webhooks\b/.test(request.url ?? '')) return listener(request, response);
      return this.#current.run(this.#track(request, response), () => listener(request, response));
    };

  readonly onRecorded = ({ outcome, deliveryId, credits, reason, isAnnounced, causes }: RecordedDelivery) => {
    const delivery = this.#current.getStore();
    if (delivery === undefined) return this.#addLine('plain', `Delivery ${deliveryId} was replayed: ${outcome}`);
    this.#tracked.set(String(deliveryId), delivery);
    this.#addStep(delivery, { name: 'verified', tone: 'good', text: 'Signature verified' });
    switch (outcome) {
      case 'recorded':
        this.#addStep(delivery, { name: 'recorded', tone: 'good', text: 'Recorded and committed' });
        this.#addStep(delivery, creditStep(credits, reason, causes));
        if (!isAnnounced)
          this.#addStep(delivery, unannouncedStep(`${noChannel}, or such events are not announced`), true);
        return;
      case 'duplicate':
        return this.#addStep(delivery, { name: 'duplicate', tone: 'plain', text: 'Duplicate: no credits' }, true);
      case 'test':
        this.#addStep(delivery, { name: 'test', tone: 'good', text: 'Test delivery: recorded, no credits' });
        if (!isAnnounced) this.#addStep(delivery, unannouncedStep(noChannel), true);
        return;
      case 'quarantined': {
        const suffix = reason === null ? '' : `: ${reason}`;
        return this.#addStep(delivery, { name: 'quarantined', tone: 'bad', text: `Quarantined${suffix}` }, true);
      }
    }
  };

  readonly onAttempted = (effects: readonly ClaimedEffect[], attempt: AttemptResult): void => {
    for (const { kind, deliveryId, queue } of effects) {
      if (deliveryId === null || this.#skipped.has(deliveryId)) continue;
      const delivery = this.#tracked.get(String(deliveryId));
      // During an outage, the first effect of any kind is attempted, and the others wait with it.
      const holdsUpAnnouncement = attempt.outcome === 'later' && attempt.scope === 'global' && !delivery?.isSettled;
      if (kind !== 'announcement' && !holdsUpAnnouncement) continue;
      const step = attemptStep(attempt, this.#options.channelName(parseQueue(queue).id));
      if (delivery === undefined) this.#addLine(step.tone, `Earlier delivery: ${step.text}`);
      else this.#addStep(delivery, step, step.name !== 'waiting');
    }
  };
}

/** A repetition shows nothing in a test, which is another one, nor in a delivery that is quarantined each time. */
const isNoVote = (name: Step['name']) => name === 'test' || name === 'quarantined';

type StepText = Omit<Step, 'at' | 'afterMs'>;

function creditStep(credits: number, reason: string | null, causes: readonly Cause[]): StepText {
  const bonuses = bonusCauses.filter((cause) => causes.includes(cause));
  const named = bonuses.map((cause) => textsIn('en-US').text(`credits.causes.${cause}`).toLowerCase());
  const notes = [...(reason === null ? [] : [reason.replaceAll('_', ' ')]), ...named];
  const suffix = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  if (credits === 0) return { name: 'credited', tone: 'plain', text: `No credits${suffix}` };
  return { name: 'credited', tone: 'good', text: `+${formatCount(credits, 'credit')}${suffix}` };
}

const noChannel = 'no channel is chosen';

/** The last step of a delivery without an announcement: no attempt follows. */
function unannouncedStep(reason: string): StepText {
  return { name: 'unannounced', tone: 'plain', text: `Not announced: ${reason}` };
}

function attemptStep(attempt: AttemptResult, channel: string): StepText {
  switch (attempt.outcome) {
    case 'done':
      return { name: 'announced', tone: 'good', text: `Announced in ${channel}` };
    case 'bury':
      return { name: 'buried', tone: 'bad', text: `Not announced: ${attempt.reason}` };
    default:
      return { name: 'waiting', tone: 'bad', text: `Announcement pending: ${attempt.reason}` };
  }
}

const maxLength = 60;

const payloadSchema = z.object({
  event: z.string().optional(),
  test: z.boolean().optional(),
  userId: z.string().optional(),
  buyer: z.object({ userId: z.string() }).optional(),
});

const eventTitles: Readonly<Record<string, string>> = {
  server_vote: 'Server vote',
  bot_vote: 'Bot vote',
  premium_purchase: 'Premium purchase',
  'subscription.renewed': 'Premium renewed',
  'subscription.expired': 'Premium expired',
  'subscription.revoked': 'Premium revoked',
};

/** A short title for an unverified body, for display only, and the event type that it names; null if it names none. */
export function describeDelivery(
  body: Buffer,
  memberName: (userId: string) => string,
): Pick<TrackedDelivery, 'title' | 'event'> {
  const payload = payloadSchema.safeParse(parseJson(body.toString('utf8'))).data;
  if (payload === undefined) return { title: 'Unreadable delivery', event: null };
  const { event = null, test, userId = payload.buyer?.userId } = payload;
  const name = event ?? 'a delivery';
  const title = eventTitles[name] ?? `“${truncate(name)}”`;
  if (test) return { title: `Test: ${title}`, event };
  return { title: userId === undefined ? title : `${title} by ${truncate(memberName(userId))}`, event };
}

/** Describes a delivery of another site than the document's service ({@link describeDelivery}). */
function describeSiteDelivery(site: Site, now: number): typeof describeDelivery {
  const described = (what: string, event: string | null = null) => ({ title: `${site.name} ${what}`, event });
  return (body, memberName) => {
    try {
      const json = parseJson(body.toString('utf8'));
      const reading = isObject(json) ? site.read(json, { now, scheme: null }) : null;
      switch (reading?.type) {
        case 'vote':
          return described(`vote by ${truncate(memberName(String(reading.userId)))}`, 'server_vote');
        case 'test':
          return described('test');
        case 'ignored':
          return described(`“${truncate(reading.event)}”`);
        default:
          return described('delivery');
      }
    } catch {
      return described('delivery');
    }
  };
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** An accepted delivery, with everything that is needed to send it again unchanged. */
export interface CapturedDelivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const rejectionSchema = z.object({ error: z.string() });

/**
 * Records the body while the handler reads it; a `data` listener would take the bytes from the handler. Returns the
 * bytes so far.
 *
 * @param onComplete called before the handler receives the end of the body
 */
function captureBody(request: IncomingMessage, onComplete: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  request.push = new Proxy(request.push, {
    apply(push, self, args: [Buffer | null]) {
      if (args[0] === null) onComplete();
      else chunks.push(args[0]);
      return Reflect.apply(push, self, args) as boolean;
    },
  });
  return () => Buffer.concat(chunks);
}

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

function capturedDelivery(request: IncomingMessage, body: Buffer, site: Site | undefined): CapturedDelivery {
  const ofSite = site?.schemes.flatMap((scheme) => ('header' in scheme ? [scheme.header] : [])) ?? [];
  const entries = Object.entries(request.headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('x-webhook') || ofSite.includes(name),
  );
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  return { path: request.url ?? '/', headers, body };
}

/** `Rejected (401): …`, with the error text of a JSON response. */
function rejectionText(status: number, responseText: string): string {
  const rejection = rejectionSchema.safeParse(parseJson(responseText)).data;
  return rejection === undefined ? `Rejected (${status})` : `Rejected (${status}): ${rejection.error}`;
}
