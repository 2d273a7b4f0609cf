import express, { type Request, type Router } from 'express';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { ApiError } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import { type ApiRequest, createHandlers, wrongKey } from './handlers.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { countAgainstLimit } from './rate-limit.ts';
import { onlyGet, refuse } from './refuse.ts';

export interface ApiDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the service is reached, without a slash at the end. */
  readonly origin: string;
  /** Where this router is mounted there. */
  readonly basePath: string;
}

/** The lookup API below its base path (document, section 4). Refusals come in the order: path, method, key, limit, key type, parameters. */
export function apiRouter({ database, clock, log, origin, basePath }: ApiDependencies): Router {
  const router = express.Router({ caseSensitive: true });

  router.use((request, response, next) => {
    // Express compares the path of a mount without regard to case, whatever the router below it does.
    if (request.baseUrl !== basePath) throw notFound();
    // An answer belongs to one key, which a cache in between does not see when it stands in the header.
    response.set('Cache-Control', 'private, no-cache');
    next();
  });

  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const answer = createHandlers[name as OperationName] as (
      asked: ApiRequest,
      parameters: unknown,
    ) => Promise<{ data: unknown; meta?: unknown }>;
    router.all(operation.path, async (request, response) => {
      onlyGet(request);
      const { keyId, listing } = await authenticate(database, request);
      const now = clock.now();
      response.set(await countAgainstLimit(database, keyId, now));
      if (!operation.keys.includes(listing.kind)) throw wrongKey(...operation.keys);
      const { data, meta } = await answer({ database, listing, now, origin }, readParameters(operation, request));
      response.json({ success: true, data, ...(meta === undefined ? {} : { meta }) });
    });
  }

  router.use(() => {
    throw notFound();
  });
  router.use(refuse(log));
  return router;
}

function notFound(): ApiError {
  return new ApiError(404, 'There is no such endpoint.');
}

function readParameters(operation: Operation, request: Request): unknown {
  return { ...read(operation.pathParameters, request.params), ...read(operation.queryParameters, request.query) };
}

function read(schema: z.ZodObject, input: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError(
    400,
    issue?.code === 'invalid_type' ? `Send "${issue.path.join('.')}" once.` : (issue?.message ?? ''),
  );
}
