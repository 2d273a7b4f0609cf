import { collectDefaultMetrics, Registry } from 'prom-client';
import { type BotMetrics, type BotSources, botMetrics, watchBot } from './bot.ts';
import { type DeliveryMetrics, type DeliverySources, deliveryMetrics, watchDeliveries } from './deliveries.ts';
import { type GrowthMetrics, growthMetrics } from './growth.ts';
import { type LookupMetrics, type LookupSources, lookupMetrics, watchLookups } from './lookups.ts';
import { type OutboxMetrics, type OutboxSources, outboxMetrics, watchOutbox } from './outbox.ts';
import { type ReminderMetrics, reminderMetrics } from './reminders.ts';
import { type RewardMetrics, type RewardSources, rewardMetrics, watchRewards } from './rewards.ts';
import { type ShopMetrics, shopMetrics } from './shop.ts';

/** Values that are read at each scrape. They must be cheap; one that rejects does not affect the others. */
export interface MetricSources extends DeliverySources, OutboxSources, RewardSources, LookupSources, BotSources {}

/**
 * All metrics, with the prefix `tallyhook_`, for `GET /metrics` (Prometheus text format). Durations are in seconds. No
 * label contains untrusted input, so the number of time series is bounded. Described in `docs/operations.md`.
 */
export interface Metrics
  extends DeliveryMetrics,
    OutboxMetrics,
    RewardMetrics,
    LookupMetrics,
    BotMetrics,
    GrowthMetrics,
    ReminderMetrics,
    ShopMetrics {
  /** Registers the gauges that read `sources`. To be called once. */
  watch(sources: MetricSources): void;
  text(): Promise<string>;
  readonly contentType: string;
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
    ...growthMetrics(registry),
    ...reminderMetrics(registry),
    ...shopMetrics(registry),
    watch(sources) {
      watchDeliveries(registry, sources);
      watchOutbox(registry, sources);
      watchRewards(registry, sources);
      watchLookups(registry, sources);
      watchBot(registry, sources);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
