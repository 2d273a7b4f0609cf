import type { RequestListener } from 'node:http';
import type { Express, Router } from 'express';
import type { Clock } from '../../platform/clock.ts';
import { createHttpApp } from '../../platform/http/app.ts';
import { createHealth } from '../../platform/http/health.ts';
import type { ReadinessChecks } from '../../platform/http/readiness.ts';
import { createServiceMetrics } from '../../platform/http/service-metrics/service-metrics.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { queriesOf, readQueueState } from '../storage/deliveries/queue-state.ts';
import { endpointGroupOf } from './endpoint-group.ts';
import { RequestStatistics } from './request-statistics.ts';
import type { ServiceCounters } from './service-counters.ts';

export interface MonitoringOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly counters: ServiceCounters;
  readonly checks: ReadinessChecks;
  readonly isStopping: () => boolean;
  /** The number of blocks of requests that were reserved. */
  readonly reservations: () => number;
  /** The path of the API, without a trailing slash. */
  readonly basePath: string;
}

export interface Monitoring {
  /** `/healthz` and `/readyz` for anyone: whether the parts are ready, but not why. */
  readonly publicHealth: Router;
  /** `/healthz`, `/readyz` with reasons, and `/metrics`: for a port that strangers do not reach. */
  readonly operations: Express;
  /** Counts the responses of a listener. */
  count(listener: RequestListener): RequestListener;
}

export function createMonitoring(options: MonitoringOptions): Monitoring {
  const { database, clock, log, counters, checks, isStopping, reservations, basePath } = options;
  const requests = new RequestStatistics();
  const metrics = createServiceMetrics({
    responses: () => requests.responses(),
    durations: () => requests.durations(),
    votes: counters.votes,
    reviews: () => counters.reviews,
    reservations,
    webhookRequests: counters.webhookRequests,
    queue: () => readQueueState(queriesOf(database), clock.now()),
    connections: () => (database.engine.name === 'postgres' ? database.engine.connections() : null),
    now: () => clock.now(),
  });
  const healthOptions = { checks, isStopping };
  return {
    publicHealth: createHealth({ ...healthOptions, metrics: null, showReasons: false }),
    operations: createHttpApp({
      webhooks: null,
      health: createHealth({ ...healthOptions, metrics }),
      owner: null,
      log,
    }),
    count(listener) {
      return (request, response) => {
        const startedAt = performance.now();
        const target = request.url ?? '';
        response.on('finish', () => {
          requests.count(endpointGroupOf(target, basePath), response.statusCode, performance.now() - startedAt);
        });
        listener(request, response);
      };
    },
  };
}
