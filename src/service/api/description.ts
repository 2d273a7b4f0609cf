import express, { type Router } from 'express';
import type { Log } from '../../platform/log.ts';
import { openApiDocument } from './openapi.ts';
import { onlyGet, refuse } from './refuse.ts';

/** Where the OpenAPI document is: outside the base path, below which every endpoint needs a key (document, section 5). */
export const descriptionPath = '/openapi.json';

/** The OpenAPI document of the lookup API at `baseUrl`, for everybody. */
export function descriptionRouter(baseUrl: string, log: Log): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const description = openApiDocument(baseUrl);
  router.all(descriptionPath, (request, response) => {
    onlyGet(request);
    response.set('Cache-Control', 'no-cache').json(description);
  });
  router.use(descriptionPath, refuse(log));
  return router;
}
