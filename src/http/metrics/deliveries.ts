import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface DeliveryMetrics {
  /** `outcome` is `refused` for every status but 200. */
  readonly deliveries: Counter<'status' | 'outcome'>;
  /** Seconds. */
  readonly deliverySeconds: Histogram;
  /** Seconds. */
  readonly commitSeconds: Histogram;
}

/** Seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** What comes in, and how fast it is on disk. */
export function deliveryMetrics(registry: Registry, sources: { waitingTransactions(): number }): DeliveryMetrics {
  const registers = [registry];
  new Gauge({
    name: 'tallyhook_transactions_waiting',
    help: 'Transactions that wait for the database.',
    registers,
    collect() {
      this.set(sources.waitingTransactions());
    },
  });
  const deliveries = new Counter({
    name: 'tallyhook_deliveries_total',
    help: 'Answers to deliveries, by HTTP status and outcome.',
    labelNames: ['status', 'outcome'],
    registers,
  });
  // A counter that begins at one has not increased, so what an alert waits for begins at zero.
  for (const outcome of ['recorded', 'duplicate', 'test', 'quarantined']) deliveries.inc({ status: 200, outcome }, 0);
  for (const status of [401, 503]) deliveries.inc({ status, outcome: 'refused' }, 0);
  return {
    deliveries,
    deliverySeconds: new Histogram({
      name: 'tallyhook_delivery_seconds',
      help: 'From the arrival of a delivery to its answer.',
      buckets,
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'tallyhook_commit_seconds',
      help: 'From the moment a delivery is to be stored to its commit, the wait for others included.',
      buckets,
      registers,
    }),
  };
}
