import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import type { EffectNotices } from '../../core/outbox/effect-notices.ts';
import { handle } from '../../core/outbox/perform.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import type { Store } from '../store.ts';
import { callRetry, createCall, kindsOf } from './calls.ts';
import { handlerKind } from './effects.ts';
import type { Handlers } from './handlers.ts';
import { createHandlerRecording, unhandledRecording } from './recording.ts';
import { createSubscriptions } from './store.ts';

export type Handling = ReturnType<typeof createHandling>;

/**
 * The calls of the handlers of the package's user. A process processes the queues of its own handlers, and leaves those of
 * others alone.
 */
export function createHandling(options: {
  readonly handlers: Handlers;
  /** The ledger whose default is the community of this guild. */
  readonly ledgerIn: (guildId: string | null) => Ledger;
  readonly store: Pick<Store, 'handlers'>;
  /** Whether other processes may use the same database. */
  readonly isShared: boolean;
  readonly notices: Pick<EffectNotices, 'nudge'>;
  readonly clock: Clock;
  readonly log: Log;
}) {
  const { handlers, ledgerIn, store, isShared, notices, clock, log } = options;
  const own = kindsOf(handlers);
  const stopped = new AbortController();
  const subscriptions = createSubscriptions(own, isShared ? store.handlers : null, clock);
  const call = createCall({ handlers, ledgerIn, stopped: stopped.signal, clock, log });

  return {
    subscriptions,
    // Other processes may have handlers that this one has not.
    recording:
      own.length > 0 || isShared ? createHandlerRecording(subscriptions.kinds, notices.nudge) : unhandledRecording,
    handler: handle(handlerKind, call, callRetry),
    isOwn: (queue: string) => own.some((kind) => kind === parseQueue(queue).id),
    attemptsPerQueue: handlers.concurrency ?? 1,
    /** Aborts the signals of calls in progress, which are repeated later. */
    abortCalls: (): void => stopped.abort(),
  };
}
