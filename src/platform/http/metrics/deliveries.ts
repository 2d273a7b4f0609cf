import { Counter, Histogram, type Registry } from 'prom-client';
import { addGauge } from '../gauge.ts';

export interface DeliveryMetrics {
  /** `outcome` is `refused` for every status but 200. */
  readonly deliveries: Counter<'status' | 'outcome'>;
  /** Seconds. */
  readonly deliverySeconds: Histogram;
  /** Seconds. */
  readonly commitSeconds: Histogram;
}

export interface DeliverySources {
  /** Transactions that wait for the database. */
  waitingTransactions(): number;
}

/** Seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];

/** Webhook deliveries and their storage. */
export function deliveryMetrics(registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const deliveries = new Counter({
    name: 'tallyhook_deliveries_total',
    help: 'Responses to deliveries, by HTTP status and outcome.',
    labelNames: ['status', 'outcome'],
    registers,
  });
  // A counter that first appears with 1 has not increased for Prometheus, so the ones used in alerts start at 0.
  for (const outcome of ['recorded', 'duplicate', 'test', 'quarantined', 'ignored'])
    deliveries.inc({ status: 200, outcome }, 0);
  for (const status of [401, 503]) deliveries.inc({ status, outcome: 'refused' }, 0);
  return {
    deliveries,
    deliverySeconds: new Histogram({
      name: 'tallyhook_delivery_seconds',
      help: 'Time from the headers of a delivery to its response, in seconds.',
      buckets,
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'tallyhook_commit_seconds',
      help: 'Time to commit a delivery, including the wait for other transactions, in seconds.',
      buckets,
      registers,
    }),
  };
}

export function watchDeliveries(registry: Registry, sources: DeliverySources): void {
  const waiting = { name: 'tallyhook_transactions_waiting', help: 'Transactions that wait for the database.' };
  addGauge(registry, waiting, () => sources.waitingTransactions());
}
