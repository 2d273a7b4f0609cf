import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Everything that is counted, under the prefix `tallyhook_`, for `GET /metrics` (Prometheus' text format). */
export interface Metrics {
  readonly deliveries: Counter<'status' | 'outcome'>;
  readonly deliverySeconds: Histogram;
  readonly attempts: Counter<'outcome'>;
  readonly lookups: Counter<'listing' | 'event'>;
  readonly commands: Counter<'command' | 'outcome'>;
  text(): Promise<string>;
  readonly contentType: string;
}

export function createMetrics(gauges: {
  waitingTransactions: () => number;
  effects: () => Promise<Readonly<Record<string, number>>>;
}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });

  new Gauge({
    name: 'tallyhook_transactions_waiting',
    help: 'Transactions that wait for the database.',
    registers,
    collect() {
      this.set(gauges.waitingTransactions());
    },
  });
  new Gauge({
    name: 'tallyhook_effects',
    help: 'Effects in the outbox, by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const [state, count] of Object.entries(await gauges.effects())) this.set({ state }, count);
    },
  });

  return {
    deliveries: new Counter({
      name: 'tallyhook_deliveries_total',
      help: 'Answers to deliveries, by HTTP status and outcome.',
      labelNames: ['status', 'outcome'],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'tallyhook_delivery_seconds',
      help: 'From the arrival of a delivery to its answer.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
      registers,
    }),
    attempts: new Counter({
      name: 'tallyhook_effect_attempts_total',
      help: 'Effects that an attempt was made at, by what became of it.',
      labelNames: ['outcome'],
      registers,
    }),
    lookups: new Counter({
      name: 'tallyhook_lookups_total',
      help: 'Questions to the service, by how they were answered.',
      labelNames: ['listing', 'event'],
      registers,
    }),
    commands: new Counter({
      name: 'tallyhook_commands_total',
      help: 'Slash commands and buttons, by how they were answered.',
      labelNames: ['command', 'outcome'],
      registers,
    }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
