import type { Metrics } from '../http/metrics/metrics.ts';
import type { LookupOptions } from '../lookup/client.ts';
import { second } from '../platform/durations.ts';

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
