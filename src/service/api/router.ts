import express, { type Request, type Router } from 'express';
import type { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../storage/database.ts';
import { type Asked, answers, wrongKey } from './answers.ts';
import { authenticate } from './authenticate.ts';
import { type Operation, type OperationName, operations } from './operations.ts';
import { countAgainstLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';
import { onlyGet, refuse } from './refuse.ts';

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

  router.use((request, response, next) => {
    // Express compares the path of a mount without regard to case, whatever the router below it does.
    if (request.baseUrl !== basePath) throw notFound();
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

  router.use(() => {
    throw notFound();
  });
  router.use(refuse(log));
  return router;
}

function notFound(): Refusal {
  return new Refusal(404, 'There is no such endpoint.');
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
