import express, { type ErrorRequestHandler, type Router } from 'express';
import type { Log } from '../../platform/log.ts';
import { requireGet, toFailure } from './api-error.ts';
import { openApiDocument, openApiPath } from './openapi.ts';

/** Serves the OpenAPI document of the lookup API at `baseUrl`. It needs no key. */
export function openApiRouter(baseUrl: string, log: Log): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const document = openApiDocument(baseUrl);
  router.all(openApiPath, (request, response) => {
    requireGet(request);
    response.set('Cache-Control', 'no-cache').json(document);
  });
  router.use(openApiPath, handleErrors(log));
  return router;
}

function handleErrors(log: Log): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const { status, headers, message } = toFailure(thrown, log);
    for (let index = 0; index < headers.length; index += 2)
      response.set(headers[index] ?? '', headers[index + 1] ?? '');
    response.status(status).json({ success: false, error: message });
  };
}
