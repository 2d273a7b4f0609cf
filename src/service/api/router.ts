import express, { type ErrorRequestHandler, type Request, type Router } from 'express';
import type { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../storage/database.ts';
import { type Asked, answers, wrongKey } from './answers.ts';
import { authenticate } from './authenticate.ts';
import { openApiDocument } from './openapi.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { countAgainstLimit } from './rate-limit.ts';
import { Refusal, refusalOf } from './refusal.ts';

export interface ApiRooms {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Where the service is reached, without a slash at the end. */
  readonly origin: string;
  /** Where this router is mounted there. */
  readonly basePath: string;
}

/** The lookup API below its base path (document, section 4). Refusals come in the order: path, method, key, limit, key type, parameters. */
export function apiRouter({ database, clock, log, origin, basePath }: ApiRooms): Router {
  const router = express.Router({ caseSensitive: true });

  router.use((_request, response, next) => {
    // An answer belongs to one key, which a cache in between does not see when it stands in the header.
    response.set('Cache-Control', 'private, no-cache');
    next();
  });

  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const answer = answers[name as OperationName] as (
      asked: Asked,
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

  const description = openApiDocument(origin + basePath);
  router.all('/openapi.json', (request, response) => {
    onlyGet(request);
    response.json(description);
  });

  router.use(() => {
    throw new Refusal(404, 'There is no such endpoint.');
  });
  router.use(refuse(log));
  return router;
}

function onlyGet(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  throw new Refusal(405, 'This API is read-only: use GET.', { Allow: 'GET, HEAD' });
}

function readParameters(operation: Operation, request: Request): unknown {
  return { ...read(operation.pathParameters, request.params), ...read(operation.queryParameters, request.query) };
}

function read(schema: z.ZodObject, input: unknown): Record<string, unknown> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal(
    400,
    issue?.code === 'invalid_type' ? `Send "${issue.path.join('.')}" once.` : (issue?.message ?? ''),
  );
}

/** The one place where a failure becomes an answer. What nobody foresaw is logged whole and told as nothing. */
function refuse(log: Log): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const refusal = refusalOf(thrown);
    if (refusal instanceof Refusal) {
      response.status(refusal.status).set(refusal.headers).json({ success: false, error: refusal.message });
      return;
    }
    log.error(
      { error: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined },
      'request failed',
    );
    response.status(500).json({ success: false, error: 'Unexpected error. Please try again later.' });
  };
}
