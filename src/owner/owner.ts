import express, { type Express } from 'express';
import { isTrustedProxy } from '../platform/web/client-key.ts';
import { createOwnerApi } from './api.ts';
import { createAuthentication } from './authentication.ts';
import { type ConsoleAccess, createConsole } from './console/console.ts';
import type { OwnerContext } from './context.ts';

/** Who can sign in, each null if nobody can. */
export type OwnerAccess = Pick<ConsoleAccess, 'token' | 'discord'>;

/**
 * The owner's API under `/api` and the console, to be mounted at `/owner`.
 * @param access `token`: the `OWNER_TOKEN`, without which there is no API
 */
export function createOwner({ token, discord }: OwnerAccess, context: OwnerContext): Express {
  const authentication = createAuthentication({ token, clock: context.clock, log: context.log });
  const app = express().disable('x-powered-by').disable('etag').enable('strict routing');
  // For the client's address, and for whether the browser uses HTTPS.
  app.set('trust proxy', isTrustedProxy);
  if (token !== null) app.use('/api', createOwnerApi(context, authentication));
  app.use(createConsole({ token, discord, authentication }, context));
  return app;
}
