import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, hour, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { TimeoutError, withTimeout } from '@tallyhook/platform/with-timeout';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import type { Effect } from '../../core/outbox/effect-kind.ts';
import type { EffectNotices } from '../../core/outbox/effect-notices.ts';
import {
  type HandlerContent,
  type HandlerEvent,
  type HandlerEvents,
  type HandlerKind,
  handlerKinds,
  type SubscribedKind,
} from '../../core/outbox/handler-events.ts';
import { backoff, handle, type RetryPolicy } from '../../core/outbox/perform.ts';
import { parseQueue, type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { ClaimRecorder, Recorder } from '../../core/tally/recorder.ts';
import type { RoutedDelivery } from '../../core/tally/tally.ts';
import type { Store } from '../store.ts';
import { type Handler, type HandlerCall, type Handlers, handlerKind, PermanentError } from './handlers.ts';
import type { StoredSubscriptions } from './store.ts';

/**
 * The calls of the handlers of the package's user. A process processes the queues of its own handlers, and leaves those of
 * others alone.
 */
export function createHandling(options: {
  readonly handlers: Handlers;
  /** True if the stream of events can be read. */
  readonly isStreamed: boolean;
  /** The ledger whose default is the community of this guild. */
  readonly ledgerIn: (guildId: string | null) => Ledger;
  readonly store: Pick<Store, 'handlers'>;
  /** True if other processes may use the same database. */
  readonly isShared: boolean;
  readonly notices: Pick<EffectNotices, 'nudge'>;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { handlers, isStreamed, ledgerIn, store, isShared, notices, clock, log } = options;
  const own: readonly SubscribedKind[] = [...kindsOf(handlers), ...(isStreamed ? (['stream'] as const) : [])];
  const stopped = new AbortController();
  const subscriptions = createSubscriptions(own, store.handlers, { clock, isShared });
  const byKind = handlersByKind(handlers);

  function callHandler(event: HandlerEvent, details: HandlerCall): void | Promise<void> {
    // TypeScript does not relate the type of an event to the parameter of its handler.
    const handler = byKind[event.type] as Handler<HandlerEvent> | undefined;
    return handler?.(event, details);
  }

  /** A failure concerns this call alone. */
  async function call({ content: { id, event }, attempts: attempt }: Effect<HandlerContent>): Promise<AttemptResult> {
    const timeout = new AbortController();
    const signal = AbortSignal.any([timeout.signal, stopped.signal]);
    const details = { id, attempt, signal, ledger: ledgerIn(event.guildId) };
    try {
      await withTimeout(
        callTimeoutMs,
        clock,
        // A function that throws at once must not differ from one that rejects.
        Promise.resolve().then(() => callHandler(event, details)),
      );
      return { outcome: 'done' };
    } catch (error) {
      const isLate = error instanceof TimeoutError && !timeout.signal.aborted;
      timeout.abort(error);
      const reason = isLate ? `did not finish within ${callTimeoutMs / second} s` : messageOf(error);
      const cut = reason.slice(0, maxReasonLength);
      const stack = error instanceof Error && !isLate ? error.stack : undefined;
      if (error instanceof PermanentError) return { outcome: 'bury', reason: cut };
      log.warn({ handler: event.type, call: id, attempt, reason: cut, stack }, 'a handler failed; it is called again');
      return { outcome: 'later', reason: cut, scope: 'effects' };
    }
  }

  return {
    subscriptions,
    recording: createHandlerRecording(subscriptions.kinds, notices.nudge),
    handler: handle(handlerKind, call, callRetry),
    isOwn: (queue: string) => own.some((kind) => kind === parseQueue(queue).id),
    attemptsPerQueue: handlers.concurrency ?? 1,
    /** Aborts the signals of calls in progress, which are repeated later. */
    abortCalls: (): void => stopped.abort(),
  };
}

/** Shorter than the lease of an effect (20 s), so that no other process calls at the same time. */
const callTimeoutMs = 10 * second;
/** Longer reasons are truncated (characters). */
const maxReasonLength = 500;
/** An event that waited for its process for long is not given up after the first failure. */
const minAttempts = 20;

type HandlerOf = { readonly [Kind in HandlerKind]: Handler<HandlerEvents[Kind]> | undefined };

/** The functions by the kind of event. They may be methods of an object of a class. */
function handlersByKind(handlers: Handlers): HandlerOf {
  return {
    vote: handlers.onVote?.bind(handlers),
    premium: handlers.onPremium?.bind(handlers),
    streak: handlers.onStreak?.bind(handlers),
    milestone: handlers.onMilestone?.bind(handlers),
    purchase: handlers.onPurchase?.bind(handlers),
    review: handlers.onReview?.bind(handlers),
  };
}

function kindsOf(handlers: Handlers): readonly HandlerKind[] {
  return Object.entries(handlersByKind(handlers)).flatMap(([kind, handler]) =>
    handler === undefined ? [] : [kind as HandlerKind],
  );
}

/** The retries of other effects, but with a minimum of attempts. */
const callRetry: RetryPolicy = ({ attempts, age }, random) =>
  backoff({ attempts, age: attempts < minAttempts ? 0 : age }, random);

/** The kinds of handlers that the recording of deliveries and claims can call. */
const recordedKinds: readonly HandlerKind[] = ['vote', 'premium', 'streak', 'milestone'];

/** Adds to each recorded listing which kinds of handlers to enqueue calls for. */
interface HandlerRecording {
  recorder(recorder: Recorder): Recorder;
  claims(claims: ClaimRecorder): ClaimRecorder;
}

/**
 * @param kinds what events are stored for now
 * @param nudge called after each commit, with the queues that may have new calls
 */
export function createHandlerRecording(
  kinds: () => readonly SubscribedKind[],
  nudge: (queues: readonly QueueName[]) => void,
): HandlerRecording {
  /** The result is the same object for the same listing: a listing is used for many votes. */
  let known = new WeakMap<ListingContext, ListingContext>();
  let knownKinds: readonly SubscribedKind[] = [];

  function withHandled<Listing extends ListingContext>(listing: Listing): Listing {
    if (knownKinds !== kinds()) {
      knownKinds = kinds();
      known = new WeakMap();
    }
    const handled = (known.get(listing) as Listing | undefined) ?? { ...listing, handled: knownKinds };
    known.set(listing, handled);
    return handled;
  }

  function routedWithHandled(routed: RoutedDelivery): RoutedDelivery {
    if (kinds().length === 0) return routed;
    switch (routed.type) {
      case 'event':
        return { ...routed, listing: withHandled(routed.listing) };
      case 'order':
        return { ...routed, listings: routed.listings.map(withHandled) };
      case 'test':
      case 'ignored':
      case 'quarantine':
        return routed;
    }
  }

  async function nudgeAfter<Result>(recording: Promise<Result>, listings: readonly ListingContext[]): Promise<Result> {
    const result = await recording;
    const called = recordedKinds.filter((kind) => kinds().includes(kind));
    nudge(listings.flatMap(({ community }) => called.map((kind) => queueName('handler', community.id, kind))));
    return result;
  }

  function listingsOf(routed: RoutedDelivery): readonly ListingContext[] {
    if (routed.type === 'event') return [routed.listing];
    return routed.type === 'order' ? routed.listings : [];
  }

  return {
    recorder: ({ record, recordReplay }) => ({
      record(delivery, routed) {
        const recording = record(delivery, routedWithHandled(routed));
        return kinds().length === 0 ? recording : nudgeAfter(recording, listingsOf(routed));
      },
      recordReplay(id, delivery, routed, now) {
        const recording = recordReplay(id, delivery, routedWithHandled(routed), now);
        return kinds().length === 0 ? recording : nudgeAfter(recording, listingsOf(routed));
      },
    }),
    claims: ({ recordClaim }) => ({
      recordClaim(claim, listing, now) {
        if (kinds().length === 0) return recordClaim(claim, listing, now);
        return nudgeAfter(recordClaim(claim, withHandled(listing), now), [listing]);
      },
    }),
  };
}

/** How long events are stored for a handler whose process is not running (ms). */
const keptMs = 7 * day;
/** How often a process repeats that it has its handlers (ms). */
const renewalMs = hour;

/**
 * The kinds of events that are stored for handlers and for the stream.
 * @param own the kinds that this process has
 * @param options.isShared whether there can be other processes, whose handlers count as well
 */
export function createSubscriptions(
  own: readonly SubscribedKind[],
  store: StoredSubscriptions,
  { clock, isShared }: { readonly clock: Pick<Clock, 'now' | 'monotonic'>; readonly isShared: boolean },
) {
  let kinds = own;
  let renewAt = Number.NEGATIVE_INFINITY;
  return {
    /** The kinds of the last refresh. The same array as long as they are the same. */
    kinds: () => kinds,
    /** Announces the process's own kinds to other processes, if it is time to, and reads theirs. */
    async refresh(): Promise<void> {
      const now = clock.now();
      if (isShared && own.length > 0 && clock.monotonic() >= renewAt) {
        await store.renew(own, now);
        renewAt = clock.monotonic() + renewalMs;
      }
      const renewed = await store.renewedSince(now - keptMs);
      // A process alone knows its handlers; who reads the stream may have been connected before its restart.
      const counts = (kind: SubscribedKind) =>
        own.includes(kind) || ((isShared || kind === 'stream') && renewed.includes(kind));
      const next = ([...handlerKinds, 'stream'] as const).filter(counts);
      if (next.join() !== kinds.join()) kinds = next;
    },
    /** Stores events for the stream from now on, because somebody reads it. To be repeated at least every few days. */
    async stream(): Promise<void> {
      await store.renew(['stream'], clock.now());
      if (!kinds.includes('stream')) kinds = [...kinds, 'stream'];
    },
  };
}
