import { Counter, type Registry } from 'prom-client';

export interface GrowthMetrics {
  /** `what` is `bodies` or `effects`. */
  readonly prunedRows: Counter<'what'>;
}

/** Data that was deleted because it is old enough. */
export function growthMetrics(registry: Registry): GrowthMetrics {
  const prunedRows = new Counter({
    name: 'tallyhook_pruned_rows_total',
    help: 'Rows that this process has pruned: bodies of deliveries, and effects that are done.',
    labelNames: ['what'],
    registers: [registry],
  });
  for (const what of ['bodies', 'effects']) prunedRows.inc({ what }, 0);
  return { prunedRows };
}
