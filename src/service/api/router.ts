import express, { type Router } from 'express';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { RateLimiter } from '../rate-limit/rate-limiter.ts';
import type { Database } from '../storage/database.ts';
import { ApiError, handleApiErrors, requireGet } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import { type ApiRequest, keyTypeError, operationHandlers } from './handlers.ts';
import { openApiDocument, openApiPath } from './openapi.ts';
import { type Operation, operations } from './operations.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface ApiDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly log: Log;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
  /** The path that this router is mounted at. */
  readonly basePath: string;
}

/**
 * The lookup API below its base path (document, section 4). Requests are rejected in this order: path, method, key,
 * rate limit, key type, parameters.
 */
export function apiRouter({ database, clock, limiter, log, origin, basePath }: ApiDependencies): Router {
  const router = express.Router({ caseSensitive: true });

  router.use((request, response, next) => {
    // Express matches the mount path case-insensitively, even if the router is case-sensitive.
    if (request.baseUrl !== basePath) throw notFound();
    // The response depends on the key, and a shared cache does not include the header in its cache key.
    response.set('Cache-Control', 'private, no-cache');
    next();
  });

  function addRoute<Path extends z.ZodObject, Query extends z.ZodObject>(
    operation: Operation & { readonly pathParameters: Path; readonly queryParameters: Query },
    handle: (request: ApiRequest, parameters: z.infer<Path> & z.infer<Query>) => Promise<object>,
  ): void {
    router.all(operation.path, async (request, response) => {
      requireGet(request);
      const { keyId, listing } = await authenticate(database, request);
      const now = clock.now();
      const counted = limiter.count(keyId);
      response.set(rateLimitHeaders(counted instanceof Promise ? await counted : counted));
      if (!operation.keys.includes(listing.kind)) throw keyTypeError(...operation.keys);
      const parameters = {
        ...parse(operation.pathParameters, request.params),
        ...parse(operation.queryParameters, request.query),
      };
      response.json({ success: true, ...(await handle({ database, listing, now, origin }, parameters)) });
    });
  }
  addRoute(operations.getServer, operationHandlers.getServer);
  addRoute(operations.getBot, operationHandlers.getBot);
  addRoute(operations.getVotes, operationHandlers.getVotes);
  addRoute(operations.getReviews, operationHandlers.getReviews);

  router.use(() => {
    throw notFound();
  });
  router.use(handleApiErrors(log));
  return router;
}

/** Serves the OpenAPI document of the lookup API at `baseUrl`. It needs no key. */
export function openApiRouter(baseUrl: string, log: Log): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const document = openApiDocument(baseUrl);
  router.all(openApiPath, (request, response) => {
    requireGet(request);
    response.set('Cache-Control', 'no-cache').json(document);
  });
  router.use(openApiPath, handleApiErrors(log));
  return router;
}

function notFound(): ApiError {
  return new ApiError(404, 'Unknown endpoint.');
}

/** @throws ApiError 400 */
function parse<Schema extends z.ZodObject>(schema: Schema, input: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError(
    400,
    issue?.code === 'invalid_type' ? `Send "${issue.path.join('.')}" once.` : (issue?.message ?? ''),
  );
}
