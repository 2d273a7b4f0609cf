import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import type { Metrics } from '../../core/metrics.ts';
import { createDispatcher } from '../../core/outbox/dispatcher.ts';
import type { ClaimedEffect } from '../../core/outbox/effect.ts';
import type { EffectNotices } from '../../core/outbox/effect-notices.ts';
import { createPerform, handle } from '../../core/outbox/perform.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import type { Store } from '../store.ts';
import { callRetry, createCall, kindsOf } from './calls.ts';
import { handlerKind } from './effects.ts';
import type { Handlers } from './handlers.ts';
import { createHandlerRecording, unhandledRecording } from './recording.ts';
import { createSubscriptions } from './subscriptions.ts';

export type Handling = ReturnType<typeof createHandling>;

/**
 * Calls the handlers of the package's user. They have a dispatcher of their own, so that neither an outage of Discord
 * nor a slow handler delays the other. A process processes the queues of its own handlers, and leaves those of others
 * alone.
 */
export function createHandling(options: {
  readonly handlers: Handlers;
  /** The ledger whose default is the community of this guild. */
  readonly ledgerIn: (guildId: string | null) => Ledger;
  readonly store: Pick<Store, 'outbox' | 'handlers'>;
  /** Whether other processes may use the same database. */
  readonly isShared: boolean;
  /** How often to look for effects of other processes (ms); null if there are none. */
  readonly newEffectsPollMs: number | null;
  readonly notices: Pick<EffectNotices, 'nudge' | 'listen'>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}) {
  const { handlers, ledgerIn, store, isShared, newEffectsPollMs, notices, onAttempted } = options;
  const { metrics, clock, log } = options;
  const own = kindsOf(handlers);
  const stopped = new AbortController();
  const subscriptions = createSubscriptions(own, isShared ? store.handlers : null, clock);
  const perform = createPerform([
    handle(handlerKind, createCall({ handlers, ledgerIn, stopped: stopped.signal, clock, log })),
  ]);
  const dispatcher =
    own.length === 0
      ? null
      : createDispatcher({
          // Planned effects are moved into their queues by the dispatcher that processes those.
          outbox: { ...store.outbox, arePlannedDue: async () => false },
          perform,
          attemptsPerQueue: handlers.concurrency ?? 1,
          communityOf: (queue) => String(parseQueue(queue).communityId),
          isOwn(queue) {
            const { type, id } = parseQueue(queue);
            return type === 'handler' && own.some((kind) => kind === id);
          },
          policy: callRetry,
          newEffectsPollMs,
          clock,
          log,
          onAttempt(effects, attempt) {
            for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
            onAttempted(effects, attempt);
          },
        });
  if (dispatcher !== null) notices.listen(dispatcher.nudge);

  return {
    subscriptions,
    // Other processes may have handlers that this one has not.
    recording:
      own.length > 0 || isShared ? createHandlerRecording(subscriptions.kinds, notices.nudge) : unhandledRecording,
    start: (): void => dispatcher?.start(),
    /** Calls in progress may finish within 3 s; then their signals are aborted, and they are repeated later. */
    async stop(): Promise<void> {
      await dispatcher?.stop();
      stopped.abort();
    },
  };
}
