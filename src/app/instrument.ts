import type { Metrics } from '../http/metrics/metrics.ts';
import type { LookupOptions } from '../lookup/client.ts';
import { second } from '../platform/durations.ts';
import type { Recorder } from '../tally/recorder.ts';

/** The same, with the time that each commit takes told to the metrics. */
export function instrumentRecorder(recorder: Recorder, { commitSeconds }: Metrics): Recorder {
  async function time<Result>(recording: Promise<Result>): Promise<Result> {
    const began = performance.now();
    try {
      return await recording;
    } finally {
      commitSeconds.observe((performance.now() - began) / second);
    }
  }
  return {
    record: (delivery, meaning) => time(recorder.record(delivery, meaning)),
    recordReplay: (id, delivery, meaning, now) => time(recorder.recordReplay(id, delivery, meaning, now)),
  };
}

/** Tells the metrics what becomes of the questions about one listing, and how old the answers are. */
export function lookupMetricsFor(
  listing: string,
  metrics: Metrics,
): Required<Pick<LookupOptions, 'observe' | 'observeAge'>> {
  return {
    observe(happened) {
      const { event, resource } = happened;
      metrics.lookups.inc({ listing, event, resource });
      if (event === 'failed') metrics.lookupFailures.inc({ listing, code: happened.code });
    },
    observeAge: (resource, age) => metrics.lookupAge.observe({ listing, resource }, age / second),
  };
}
