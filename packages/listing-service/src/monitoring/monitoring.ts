import type { RequestListener } from 'node:http';
import { second } from '@tallyhook/platform/durations';
import { StoreUnavailableError, TallyhookError } from '@tallyhook/platform/errors';
import { coalesce } from '@tallyhook/platform/http/coalesce';
import { createHealth, healthListener } from '@tallyhook/platform/http/health';
import type { ReadinessCheck, ReadinessChecks } from '@tallyhook/platform/http/readiness';
import { apiBasePath } from '../api/openapi.ts';
import type { ServiceContext } from '../context.ts';
import type { Database } from '../storage/database.ts';
import { queriesOf, readQueueState } from '../storage/deliveries/delivery-queue.ts';
import { probeDatabase } from '../storage/settings.ts';
import type { ServiceCounters } from './service-counters.ts';
import { createServiceMetrics } from './service-metrics.ts';

/** Groups of requests. `unknown` are the paths below the API that are not in the document. */
const lookups = ['server', 'bot', 'votes', 'reviews'] as const;
const endpointGroups = [...lookups, 'unknown', 'openapi', 'page'] as const;
type EndpointGroup = (typeof endpointGroups)[number];

/** Upper bounds of the groups of durations (seconds). */
const durationBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;

/** A counter that first appears with 1 has not increased for Prometheus, so the ones used in alerts start at 0. */
const alertedStatuses = [429, 500, 503].map((status) => [status, 0] as const);

interface Group {
  readonly statuses: Map<number, number>;
  readonly durations: number[];
  seconds: number;
}

/** Counts responses in plain numbers: what metrics usually cost is too much for a request that takes 50 µs. */
export class RequestStatistics {
  readonly #groups = Object.fromEntries(
    endpointGroups.map((group) => [group, { statuses: new Map(alertedStatuses), durations: [0], seconds: 0 }]),
  ) as unknown as Readonly<Record<EndpointGroup, Group>>;

  count(group: EndpointGroup, status: number, durationMs: number): void {
    const { statuses, durations } = this.#groups[group];
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const seconds = durationMs / 1_000;
    let at = 0;
    while (at < durationBounds.length && seconds > (durationBounds[at] ?? 0)) at += 1;
    durations[at] = (durations[at] ?? 0) + 1;
    this.#groups[group].seconds += seconds;
  }

  responses() {
    return endpointGroups.flatMap((group) =>
      [...this.#groups[group].statuses].map(([status, count]) => ({ group, status, count })),
    );
  }

  /** The durations of every group (seconds). `upTo` has the requests up to each bound, with those of lower bounds. */
  durations() {
    return endpointGroups.map((group) => {
      const { durations, seconds } = this.#groups[group];
      let count = 0;
      const upTo = durationBounds.map((bound, at) => {
        count += durations[at] ?? 0;
        return { bound, count };
      });
      return { group, upTo, count: count + (durations[durationBounds.length] ?? 0), sum: seconds };
    });
  }
}

export interface MonitoringOptions extends ServiceContext {
  readonly counters: ServiceCounters;
  readonly checks: ReadinessChecks;
  readonly isStopping: () => boolean;
}

export function createMonitoring(options: MonitoringOptions) {
  const { database, clock, log, counters, checks, isStopping } = options;
  const requests = new RequestStatistics();
  const metrics = createServiceMetrics({
    responses: () => requests.responses(),
    durations: () => requests.durations(),
    votes: counters.votes,
    reviews: () => counters.reviews,
    webhookRequests: counters.webhookRequests,
    queue: () => readQueueState(queriesOf(database), clock.now()),
    connections: () => (database.engine.name === 'postgres' ? database.engine.connections() : null),
    now: () => clock.now(),
  });
  const healthOptions = { checks, isStopping };
  return {
    /** `/healthz` and `/readyz` for anyone: whether the parts are ready, but not why. */
    publicHealth: createHealth({ ...healthOptions, metrics: null, showReasons: false }),
    /** `/healthz`, `/readyz` with reasons, and `/metrics`: for a port that strangers do not reach. */
    operations: healthListener(createHealth({ ...healthOptions, metrics }), log),
    count(listener: RequestListener): RequestListener {
      return (request, response) => {
        const startedAt = performance.now();
        const target = request.url ?? '';
        response.on('finish', () => {
          requests.count(endpointGroupOf(target, apiBasePath), response.statusCode, performance.now() - startedAt);
        });
        listener(request, response);
      };
    },
  };
}

/** The group of a request target. @param basePath the path of the API, without a trailing slash */
export function endpointGroupOf(target: string, basePath: string): EndpointGroup {
  if (target.startsWith(basePath)) {
    const name = firstSegment(target, basePath.length + 1);
    return lookups.find((lookup) => lookup === name) ?? 'unknown';
  }
  return target.startsWith('/openapi.json') ? 'openapi' : 'page';
}

/** The text from a position to the next slash or question mark. */
function firstSegment(target: string, from: number): string {
  let to = from;
  while (to < target.length && target[to] !== '/' && target[to] !== '?') to += 1;
  return target.slice(from, to);
}

/** How long the success of a write is reused (ms): the check needs no credentials. */
const probeTtlMs = 1 * second;

/** Something that works in the background; `failure` is why it failed the last time, or null. */
interface BackgroundLoop {
  readonly failure: () => string | null;
}

export function serviceReadiness(
  database: Database,
  loops: { readonly webhooks: BackgroundLoop; readonly maintenance: BackgroundLoop; readonly limit: BackgroundLoop },
): ReadinessChecks {
  return {
    database: coalesce(async () => {
      await probeDatabase(database).catch((error: unknown) => {
        // The messages of drivers contain host and user names.
        throw error instanceof TallyhookError ? error : new StoreUnavailableError(error);
      });
    }, probeTtlMs),
    webhooks: checkLoop(loops.webhooks),
    maintenance: checkLoop(loops.maintenance),
    limit: checkLoop(loops.limit),
  };
}

function checkLoop(loop: BackgroundLoop): ReadinessCheck {
  return async () => {
    const reason = loop.failure();
    if (reason !== null) throw new Error(reason);
  };
}
