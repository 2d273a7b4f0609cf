import type { RequestListener } from 'node:http';
import express, { type Router } from 'express';
import type { Log } from '../platform/log.ts';
import type { KeyUsage } from './api/key-usage.ts';
import { createLookupApi } from './api/lookup-api.ts';
import { openApiRouter } from './api/openapi-router.ts';
import type { PageDependencies } from './pages/dependencies.ts';
import { pagesRouter } from './pages/router.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';
import { createLookups } from './storage/lookups.ts';

/** The base path of the API (document, section 9). */
export const apiBasePath = '/api/v1';

export interface ServiceAppDependencies extends PageDependencies {
  readonly log: Log;
  readonly limiter: RateLimiter;
  readonly usage: KeyUsage;
  /** The number of reverse proxies whose entries in `X-Forwarded-For` are trusted. */
  readonly trustProxy: number;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
  readonly health: Router;
}

/** What the service serves: the API below its base path, the OpenAPI document, health and the pages. */
export function createServiceApp(dependencies: ServiceAppDependencies): RequestListener {
  const { sending, limiter, usage, log, origin, health } = dependencies;
  const { database, clock } = sending;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', dependencies.trustProxy);
  app.use(health);
  app.use(openApiRouter(origin + apiBasePath, log));
  app.use(pagesRouter(dependencies, log, origin));
  const lookups = createLookups(database);
  const api = createLookupApi({ lookups, clock, limiter, usage, log, origin, basePath: apiBasePath });
  return (request, response) => {
    if (!api(request, response)) app(request, response);
  };
}
