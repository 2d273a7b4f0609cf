import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { TimeoutError, withTimeout } from '@tallyhook/platform/with-timeout';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import type { HandlerContent, HandlerEvent, HandlerEvents, HandlerKind } from '../../core/outbox/handler-events.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import { backoff, type RetryPolicy } from '../../core/outbox/retry.ts';
import { type Handler, type HandlerCall, type Handlers, PermanentError } from './handlers.ts';

/** Shorter than the lease of an effect (20 s), so that no other process calls at the same time. */
export const callTimeoutMs = 10 * second;
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

export function kindsOf(handlers: Handlers): readonly HandlerKind[] {
  return Object.entries(handlersByKind(handlers)).flatMap(([kind, handler]) =>
    handler === undefined ? [] : [kind as HandlerKind],
  );
}

/** As for other effects, but with a minimum of attempts. */
export const callRetry: RetryPolicy = ({ attempts, age }, random) =>
  backoff({ attempts, age: attempts < minAttempts ? 0 : age }, random);

/**
 * Calls the function for an event. A failure concerns this call alone.
 * @param options.stopped aborted when the program no longer waits for calls
 */
export function createCall(options: {
  readonly handlers: Handlers;
  /** The ledger, with the community of this guild as the default. */
  readonly ledgerIn: (guildId: string | null) => Ledger;
  readonly stopped: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}): Handle<HandlerContent> {
  const { ledgerIn, stopped, clock, log } = options;
  const byKind = handlersByKind(options.handlers);

  function call(event: HandlerEvent, details: HandlerCall): void | Promise<void> {
    // TypeScript does not relate the type of an event to the parameter of its handler.
    const handler = byKind[event.type] as Handler<HandlerEvent> | undefined;
    return handler?.(event, details);
  }

  return async ({ content: { id, event }, attempts: attempt }) => {
    const timeout = new AbortController();
    const signal = AbortSignal.any([timeout.signal, stopped]);
    const details = { id, attempt, signal, ledger: ledgerIn(event.guildId) };
    try {
      await withTimeout(
        callTimeoutMs,
        clock,
        // A function that throws at once must not differ from one that rejects.
        Promise.resolve().then(() => call(event, details)),
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
  };
}
