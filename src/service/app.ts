import express, { type Express } from 'express';
import type { Log } from '../platform/log.ts';
import { apiRouter, openApiRouter } from './api/router.ts';
import type { PageDependencies } from './pages/dependencies.ts';
import { pagesRouter } from './pages/router.ts';
import type { RateLimiter } from './rate-limit/rate-limiter.ts';

/** The base path of the API (document, section 9). */
export const apiBasePath = '/api/v1';

export interface ServiceAppDependencies extends PageDependencies {
  readonly log: Log;
  readonly limiter: RateLimiter;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
}

/** The Express app of the service: the API below its base path, the OpenAPI document and the pages. */
export function createServiceApp(dependencies: ServiceAppDependencies): Express {
  const { sending, limiter, log, origin } = dependencies;
  const { database, clock } = sending;
  const app = express();
  app.disable('x-powered-by');
  app.use(apiBasePath, apiRouter({ database, clock, limiter, log, origin, basePath: apiBasePath }));
  app.use(openApiRouter(origin + apiBasePath, log));
  app.use(pagesRouter(dependencies, log, origin));
  return app;
}
