import { createReplay, type Replay } from '../core/receiving/replay.ts';
import type { Recorder } from '../core/tally/recorder.ts';
import type { RecordedDelivery } from '../core/tally/tally.ts';
import { traceRecorder } from '../core/tally/trace-recorder.ts';
import type { Directory } from '../features/communities/directory.ts';
import type { CommunityListing } from '../features/communities/listings.ts';
import type { Handling } from '../features/handlers/handling.ts';
import type { Store } from '../features/store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/http/metrics/metrics.ts';
import type { Log } from '../platform/log.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';

/** What receiving and the owner's replays share. */
export interface Recording {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  readonly recorder: Recorder;
  readonly replay: Replay;
  listings(): readonly CommunityListing[];
  /** To be called after each commit, with the queues of its effects. */
  onRecorded(recorded: RecordedDelivery, queues: readonly string[]): void;
}

/** Records deliveries with the calls of handlers, counts what they pay, and has their effects processed. */
export function createRecording(options: {
  readonly store: Store;
  /** Whether the database is a server instead of a file. */
  readonly isShared: boolean;
  readonly directory: Pick<Directory, 'listings'>;
  readonly handling: Pick<Handling, 'recording'>;
  readonly metrics: Metrics;
  /** Polls these queues, in every process. */
  readonly nudge: (queues: readonly string[]) => void;
  readonly onRecorded: (recorded: RecordedDelivery) => void;
  readonly tracing?: Tracing | null | undefined;
  readonly clock: Clock;
  readonly log: Log;
}): Recording {
  const { store, isShared, directory, handling, metrics, tracing = null, nudge, clock, log } = options;
  const recording = {
    ...{ store, clock, log, metrics, tracing },
    recorder: traceRecorder(handling.recording.recorder(store.recorder), isShared, tracing),
    listings: () => directory.listings,
    onRecorded(recorded: RecordedDelivery, queues: readonly string[]) {
      for (const cause of recorded.causes) metrics.entries.inc({ cause });
      nudge(queues);
      report(recorded);
    },
  };

  /** What the caller's function throws changes nothing: the delivery is stored, and must be acknowledged. */
  function report(recorded: RecordedDelivery): void {
    const logFailure = (error: unknown) =>
      log.error({ err: error, delivery: recorded.deliveryId }, 'onRecorded failed after a delivery was stored');
    try {
      const result: unknown = options.onRecorded(recorded);
      if (result instanceof Promise) result.catch(logFailure);
    } catch (error) {
      logFailure(error);
    }
  }

  return { ...recording, replay: createReplay(recording) };
}
