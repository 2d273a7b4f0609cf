import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { Log } from '../log.ts';
import { type BodyMemory, reserveBody } from './body.ts';
import type { HealthHandler } from './health.ts';

/** The longest body of a console form or an owner API request (bytes). */
const maxOwnerBodyBytes = 16 * 1024;

/** All routes but the webhooks, which read their bodies themselves and come before this app: `Receiver.withFallback`. */
export function createHttpApp(options: {
  health: HealthHandler;
  /** Null without an owner token. */
  owner: RequestHandler | null;
  /** Other pages. */
  pages?: readonly RequestHandler[];
  /** For the bodies of the owner's requests, which are read before the session is checked. */
  memory: BodyMemory;
  log: Log;
}): Express {
  const { health, owner, pages = [], memory, log } = options;
  const app = express().disable('x-powered-by').disable('etag');
  app.use(health);
  for (const page of pages) app.use(page);
  if (owner !== null) app.use('/owner', reserveBody(memory, maxOwnerBodyBytes), owner);
  app.use((_request, response) => {
    response.status(404).json({ success: false, error: 'Not found.' });
  });
  app.use(handleErrors(log));
  return app;
}

/** An unexpected error is a 503 with Retry-After, so that the sender of a webhook retries. */
function handleErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof URIError) {
      response.status(400).json({ success: false, error: 'The path cannot be decoded.' });
      return;
    }
    log.error({ err: error }, 'a request failed');
    response
      .status(503)
      .set('retry-after', '30')
      .json({ success: false, error: 'Internal error; the details are in the log.' });
  };
}
