import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Log } from '../platform/log.ts';

/** Everything that is served, in one Express app. The webhooks come first: theirs is the hot path, and they read their bodies themselves. */
export function createHttpApp(options: {
  webhooks: Router;
  health: Router;
  owner: RequestHandler | null;
  log: Log;
}): Express {
  const { webhooks, health, owner, log } = options;
  const app = express().disable('x-powered-by').disable('etag');
  app.use(webhooks);
  app.use(health);
  if (owner !== null) app.use('/owner', owner);
  app.use((_request, response) => {
    response.status(404).json({ success: false, error: 'There is nothing at this path.' });
  });
  app.use(lastResort(log));
  return app;
}

/** What nobody has foreseen. A sender is told to come back, so that nothing is lost while it is being mended. */
function lastResort(log: Log): ErrorRequestHandler {
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
      .json({ success: false, error: 'Something broke here; it is in the log.' });
  };
}
