import express, { type Express } from 'express';
import { isTrustedProxy } from '../platform/web/client-key.ts';
import { createOwnerApi } from './api.ts';
import { createAuthentication } from './authentication.ts';
import { createConsole } from './console/console.ts';
import type { OwnerContext } from './context.ts';

/** The owner's API under `/api` and the console, to be mounted at `/owner`. @param token the `OWNER_TOKEN` */
export function createOwner(token: string, context: OwnerContext): Express {
  const authentication = createAuthentication({ token, clock: context.clock, log: context.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // For the client's address, and for whether the browser uses HTTPS.
  app.set('trust proxy', isTrustedProxy);
  app.use('/api', createOwnerApi(context, authentication));
  app.use(createConsole(token, context, authentication));
  return app;
}
