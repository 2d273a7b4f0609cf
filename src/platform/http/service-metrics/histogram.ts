/** Durations of one endpoint (seconds). */
export interface DurationHistogram {
  readonly group: string;
  /** The number of durations up to each bound, cumulative, in ascending order. */
  readonly upTo: readonly { readonly bound: number; readonly count: number }[];
  readonly count: number;
  readonly sum: number;
}

/** A histogram in the text format of Prometheus: prom-client cannot take counts that were made elsewhere. */
export function formatHistogram(name: string, help: string, histograms: readonly DurationHistogram[]): string {
  const lines = histograms.flatMap(({ group, upTo, count, sum }) => [
    ...[...upTo, { bound: '+Inf', count }].map(
      (bucket) => `${name}_bucket{le="${bucket.bound}",endpoint="${group}"} ${bucket.count}`,
    ),
    `${name}_sum{endpoint="${group}"} ${sum}`,
    `${name}_count{endpoint="${group}"} ${count}`,
  ]);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines, ''].join('\n');
}
