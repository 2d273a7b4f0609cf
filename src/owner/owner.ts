import express, { type Express } from 'express';
import { createOwnerApi } from './api.ts';
import { createConsole } from './console/console.ts';
import type { Desk } from './desk.ts';
import { createGate } from './gate.ts';

/** All that is the owner's, to be mounted at `/owner`: the API under `api`, and the console. */
export function createOwner(token: string, desk: Desk): Express {
  const gate = createGate({ token, clock: desk.clock, log: desk.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // A proxy on this machine or in this network is believed when it says who asks, and whether over https.
  app.set('trust proxy', 'loopback, linklocal, uniquelocal');
  app.use('/api', createOwnerApi(desk, gate));
  app.use(createConsole(token, desk, gate));
  return app;
}
