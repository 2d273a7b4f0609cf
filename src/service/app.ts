import express, { type Express } from 'express';
import type { Log } from '../platform/log.ts';
import { descriptionRouter } from './api/description.ts';
import { apiRouter } from './api/router.ts';
import type { PageDependencies } from './pages/dependencies.ts';
import { pagesRouter } from './pages/router.ts';

/** Where the API's base path is (document, section 9). */
export const basePath = '/api/v1';

export interface ServiceAppDependencies extends PageDependencies {
  readonly log: Log;
  /** Where the service is reached, without a slash at the end. */
  readonly origin: string;
}

/** Everything that the service answers over HTTP: the API below its base path, its description, and pages. */
export function createServiceApp(rooms: ServiceAppDependencies): Express {
  const { sending, log, origin } = rooms;
  const { database, clock } = sending;
  const app = express();
  app.disable('x-powered-by');
  app.use(basePath, apiRouter({ database, clock, log, origin, basePath }));
  app.use(descriptionRouter(origin + basePath, log));
  app.use(pagesRouter(rooms, log, origin));
  return app;
}
