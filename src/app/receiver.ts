import type { Metrics } from '../http/metrics/metrics.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import type { Store } from '../store/store.ts';
import type { RecordedDelivery } from '../tally/tally.ts';
import { createIntake } from '../webhook/intake.ts';
import type { Keyring } from '../webhook/keyring.ts';
import { createReceiver, type Receiver } from '../webhook/receiver.ts';

export interface ReceiverParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onRecorded: (recorded: RecordedDelivery, queues: readonly string[]) => void;
}

/** The webhook routes with their metrics. */
export function receiverFor(keyring: Keyring, { store, clock, log, metrics, onRecorded }: ReceiverParts): Receiver {
  const intake = createIntake({
    keyring,
    recorder: store.recorder,
    clock,
    log,
    onRecorded,
    observeCommit: (durationMs) => metrics.commitSeconds.observe(durationMs / second),
  });
  return createReceiver({
    intake,
    clock,
    log,
    observe: ({ status, outcome, durationMs }) => {
      metrics.deliveries.inc({ status, outcome: outcome ?? 'refused' });
      metrics.deliverySeconds.observe(durationMs / second);
    },
  });
}
