import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import { addGauge, type GaugeOptions, type Reading } from '../gauge.ts';
import { type BotMetrics, type BotSources, botMetrics, watchBot } from './bot.ts';
import { type DeliveryMetrics, type DeliverySources, deliveryMetrics, watchDeliveries } from './deliveries.ts';
import { type LookupMetrics, type LookupSources, lookupMetrics, watchLookups } from './lookups.ts';
import { type OutboxMetrics, type OutboxSources, outboxMetrics, watchOutbox } from './outbox.ts';
import { type RewardMetrics, rewardMetrics } from './rewards.ts';

/** Values that are read at each scrape. They must be cheap; one that rejects does not affect the others. */
export interface MetricSources extends DeliverySources, OutboxSources, LookupSources, BotSources {}

/**
 * All metrics, with the prefix `tallyhook_`, for `GET /metrics` (Prometheus text format). Durations are in seconds. No
 * label contains untrusted input, so the number of time series is bounded. Described in `docs/operations.md`.
 */
export interface Metrics extends DeliveryMetrics, OutboxMetrics, RewardMetrics, LookupMetrics, BotMetrics {
  /** Registers a counter of a feature. To be called once for a name. */
  counter<Label extends string>(options: CounterOptions<Label>): Counter<Label>;
  /** Registers a gauge of a feature, which is read at each scrape. It is cheap to read, and may reject. */
  gauge(options: GaugeOptions & { readonly read: () => Reading | Promise<Reading> }): void;
  /** Registers the gauges that read `sources`. To be called once. */
  watch(sources: MetricSources): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export interface CounterOptions<Label extends string> {
  /** With the prefix `tallyhook_`. */
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Series that are shown before they were counted. */
  readonly zero?: readonly Readonly<Record<Label, string>>[];
}

/** Metrics in their own registry, with prom-client's default metrics of the process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });
  return {
    ...deliveryMetrics(registry),
    ...outboxMetrics(registry),
    ...rewardMetrics(registry),
    ...lookupMetrics(registry),
    ...botMetrics(registry),
    counter({ name, help, labels, zero = [] }) {
      const counter = new Counter({ name, help, labelNames: labels, registers: [registry] });
      for (const series of zero) counter.inc(series, 0);
      return counter;
    },
    gauge: ({ read, ...options }) => addGauge(registry, options, read),
    watch(sources) {
      watchDeliveries(registry, sources);
      watchOutbox(registry, sources);
      watchLookups(registry, sources);
      watchBot(registry, sources);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
