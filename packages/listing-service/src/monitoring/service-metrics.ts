import { second } from '@tallyhook/platform/durations';
import { addGauge } from '@tallyhook/platform/http/gauge';
import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** Durations of one endpoint (seconds). */
interface DurationHistogram {
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

/** The webhook deliveries that wait. Times are ms since the epoch. */
interface QueueMetrics {
  readonly waiting: number;
  readonly dueSince: number | null;
  readonly paused: number;
}

/** Values that are read at each scrape; counters since the start of the process. */
export interface ServiceMetricSources {
  responses(): readonly { readonly group: string; readonly status: number; readonly count: number }[];
  durations(): readonly DurationHistogram[];
  readonly votes: Readonly<Record<string, number>>;
  reviews(): number;
  readonly webhookRequests: Readonly<Record<string, number>>;
  /** Connections to a database server by their state; null for a file. */
  connections(): Readonly<Record<string, number>> | null;
  /** One that rejects does not affect the other metrics. */
  queue(): Promise<QueueMetrics>;
  /** ms since the epoch. */
  now(): number;
}

/**
 * All metrics of the listing service, with the prefix `tallyhook_service_`, for `GET /metrics` (Prometheus text format).
 * Durations are in seconds. No label contains untrusted input. Described in `docs/service.md`.
 */
export interface ServiceMetrics {
  text(): Promise<string>;
  readonly contentType: string;
}

export function createServiceMetrics(sources: ServiceMetricSources): ServiceMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tallyhook_service_' });
  addCounters(registry, sources);
  addGauges(registry, sources);
  return {
    async text() {
      const durations = formatHistogram(
        'tallyhook_service_request_seconds',
        'Time from the headers of a request to its complete response, in seconds.',
        sources.durations(),
      );
      return `${(await registry.metrics()).trimEnd()}\n\n${durations}`;
    },
    contentType: registry.contentType,
  };
}

function addCounters(registry: Registry, sources: ServiceMetricSources): void {
  /** A counter of what was counted elsewhere; values by the label if there is one. */
  function add(
    name: string,
    help: string,
    read: () => number | Readonly<Record<string, number>>,
    label?: string,
  ): void {
    new Counter({
      name: `tallyhook_service_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      collect() {
        this.reset();
        const counted = read();
        if (typeof counted === 'number') this.inc(counted);
        else for (const [value, count] of Object.entries(counted)) this.inc({ [label ?? '']: value }, count);
      },
    });
  }

  new Counter({
    name: 'tallyhook_service_requests_total',
    help: 'Responses, by endpoint and HTTP status.',
    labelNames: ['endpoint', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { group, status, count } of sources.responses()) this.inc({ endpoint: group, status }, count);
    },
  });
  add('votes_total', 'Votes, by result: stored, or during the cooldown.', () => sources.votes, 'result');
  add('reviews_total', 'Reviews that were written or edited.', () => sources.reviews());
  add(
    'webhook_requests_total',
    'Requests to webhooks, by result: accepted (2xx), rejected (another status), unanswered.',
    () => sources.webhookRequests,
    'result',
  );
}

function addGauges(registry: Registry, sources: ServiceMetricSources): void {
  /** Read once for all gauges of a scrape, with the first of them. */
  let queue: Promise<QueueMetrics> | undefined;
  addGauge(registry, {
    name: 'tallyhook_service_webhooks_waiting',
    help: 'Webhook deliveries that wait for an attempt, at most 100,000.',
    async read() {
      queue = sources.queue();
      return (await queue).waiting;
    },
  });
  addGauge(registry, {
    name: 'tallyhook_service_webhook_delay_seconds',
    help: 'Time for which the oldest due webhook delivery has been due, in seconds.',
    async read() {
      const { dueSince = null } = (await queue) ?? {};
      return dueSince === null ? 0 : Math.max(0, (sources.now() - dueSince) / second);
    },
  });
  addGauge(registry, {
    name: 'tallyhook_service_webhooks_paused',
    help: 'Webhooks that are paused, because they only failed.',
    read: async () => (await queue)?.paused ?? Number.NaN,
  });
  addGauge(registry, {
    name: 'tallyhook_service_database_connections',
    help: 'Connections to the database server: open, idle, and requests that wait for one.',
    label: 'state',
    read: () => sources.connections(),
  });
}
