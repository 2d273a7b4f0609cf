import { collectDefaultMetrics, Registry } from 'prom-client';
import { type BotMetrics, botMetrics } from './bot.ts';
import { type DeliveryMetrics, deliveryMetrics } from './deliveries.ts';
import { type LookupMetrics, type LookupSources, lookupMetrics } from './lookups.ts';
import { type OutboxMetrics, type OutboxSources, outboxMetrics } from './outbox.ts';

/**
 * Everything that is counted, under the prefix `tallyhook_`, for `GET /metrics` (Prometheus' text format). Durations are in seconds. No
 * label holds what a stranger chooses, so their number is bounded. `docs/operations.md` says what to watch.
 */
export interface Metrics extends DeliveryMetrics, OutboxMetrics, LookupMetrics, BotMetrics {
  text(): Promise<string>;
  readonly contentType: string;
}

/** Where those figures come from that are asked for at each scrape. None may cost much; one that rejects spoils no other. */
export interface Sources extends OutboxSources, LookupSources {
  /** How many transactions wait for the database. */
  waitingTransactions(): number;
  /** Whether the bot is connected to Discord's gateway. */
  isConnected(): boolean;
  /** ms since the epoch. */
  now(): number;
}

/** In a registry of their own, with the usual figures of the process beside them. */
export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_' });
  return {
    ...deliveryMetrics(registry, sources),
    ...outboxMetrics(registry, sources),
    ...lookupMetrics(registry, sources),
    ...botMetrics(registry, sources),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
