import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Loop } from '@tallyhook/platform/loop';
import type { Metrics } from '../../core/metrics.ts';
import { createDispatcher } from '../../core/outbox/dispatcher.ts';
import type { ClaimedEffect } from '../../core/outbox/effect.ts';
import type { EffectNotices } from '../../core/outbox/effect-notices.ts';
import { createPerform, handle } from '../../core/outbox/perform.ts';
import type { Replay } from '../../core/receiving/replay.ts';
import type { Directory, LookupClients } from '../communities/feature.ts';
import type { Store } from '../store.ts';
import { confirmationRetry, createConfirm } from './confirm.ts';
import { confirmationKind } from './effects.ts';
import { isConfirmationQueue } from './hold-vote.ts';

/**
 * Has the sites of listings confirm votes. Confirmations have a dispatcher of their own, because an outage of Discord
 * must not delay what votes pay. It runs as soon as a listing is on another site.
 */
export function createConfirming(options: {
  readonly store: Pick<Store, 'outbox' | 'confirmations' | 'records'>;
  readonly directory: Directory;
  readonly lookups: Pick<LookupClients, 'findSite'>;
  readonly replay: Replay;
  readonly notices: Pick<EffectNotices, 'listen'>;
  readonly newEffectsPollMs: number | null;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly onAttempted: (effects: readonly ClaimedEffect[], attempt: AttemptResult) => void;
}): Loop {
  const { store, directory, lookups, replay, newEffectsPollMs, metrics, clock, log } = options;
  const confirm = createConfirm({
    findClient: lookups.findSite,
    findListing: directory.find,
    findDelivery: store.records.delivery,
    store: store.confirmations,
    replay,
    clock,
    log,
  });
  const dispatcher = createDispatcher({
    // Planned effects are moved into their queues by the dispatcher that processes those.
    outbox: { ...store.outbox, arePlannedDue: async () => false },
    perform: createPerform([handle(confirmationKind, confirm)]),
    isOwn: isConfirmationQueue,
    policy: confirmationRetry,
    newEffectsPollMs,
    clock,
    log,
    onAttempt(effects, attempt) {
      for (const { kind } of effects) metrics.attempts.inc({ kind, outcome: attempt.outcome });
      options.onAttempted(effects, attempt);
    },
  });
  options.notices.listen((queues) => dispatcher.nudge(queues.filter(isConfirmationQueue)));
  let state: 'new' | 'waiting' | 'running' | 'stopped' = 'new';

  function startIfNeeded(): void {
    if (state !== 'waiting' || !directory.listings.some(({ site }) => site !== undefined)) return;
    state = 'running';
    dispatcher.start();
  }

  return {
    start() {
      state = 'waiting';
      directory.onChange(startIfNeeded);
      startIfNeeded();
    },
    async stop() {
      const wasRunning = state === 'running';
      state = 'stopped';
      if (wasRunning) await dispatcher.stop();
    },
  };
}
