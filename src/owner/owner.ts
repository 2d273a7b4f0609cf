import express, { type Express } from 'express';
import { isNearbyProxy } from './address.ts';
import { createOwnerApi } from './api.ts';
import { createConsole } from './console/console.ts';
import { createGate } from './gate.ts';
import type { OwnerServices } from './services.ts';

/** All that is the owner's, to be mounted at `/owner`: the API under `api`, and the console. */
export function createOwner(token: string, services: OwnerServices): Express {
  const gate = createGate({ token, clock: services.clock, log: services.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // It is believed when it says who asks, and whether over https.
  app.set('trust proxy', isNearbyProxy);
  app.use('/api', createOwnerApi(services, gate));
  app.use(createConsole(token, services, gate));
  return app;
}
