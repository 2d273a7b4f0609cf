import express, { type Express } from 'express';
import { createOwnerApi } from './api.ts';
import { createAuthentication } from './authentication.ts';
import { isNearbyProxy } from './client-key.ts';
import { createConsole } from './console/console.ts';
import type { OwnerContext } from './context.ts';

/** All that is the owner's, to be mounted at `/owner`: the API under `api`, and the console. */
export function createOwner(token: string, services: OwnerContext): Express {
  const gate = createAuthentication({ token, clock: services.clock, log: services.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // It is believed when it says who asks, and whether over https.
  app.set('trust proxy', isNearbyProxy);
  app.use('/api', createOwnerApi(services, gate));
  app.use(createConsole(token, services, gate));
  return app;
}
