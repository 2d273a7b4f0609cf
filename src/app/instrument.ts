import type { Metrics } from '../http/metrics/metrics.ts';
import { second } from '../platform/durations.ts';
import type { Recorder } from '../tally/recorder.ts';

/** Measures the time of each commit. */
export function instrumentRecorder(recorder: Recorder, { commitSeconds }: Metrics): Recorder {
  async function time<Result>(recording: Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    try {
      return await recording;
    } finally {
      commitSeconds.observe((performance.now() - startedAt) / second);
    }
  }
  return {
    record: (delivery, meaning) => time(recorder.record(delivery, meaning)),
    recordReplay: (id, delivery, meaning, now) => time(recorder.recordReplay(id, delivery, meaning, now)),
  };
}
