import type { Log } from '@tallyhook/platform/log';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathsObject, type ZodOpenApiResponseObject } from 'zod-openapi';
import { requireGet, toApiError } from './api-error.ts';
import { botStats, failureEnvelopeResource, type Operation, operations } from './operations.ts';

/** The base path of the API (document, section 9). */
export const apiBasePath = '/api/v1';

/**
 * The path of the OpenAPI document: outside the base path, below which every endpoint needs a key (document, section
 * 5).
 */
export const openApiPath = '/openapi.json';

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
} as const;

/** The failures that every endpoint may return (document, section 7, which leaves further cases open). */
const failures = {
  400: failure('BadRequest', 'The endpoint does not match the key type, or a parameter is invalid'),
  401: failure('Unauthorized', 'API key missing or invalid'),
  429: failure('TooManyRequests', 'The request limit was exceeded', retryAfter),
  500: failure('Unexpected', 'Unexpected backend error'),
  503: failure('Unavailable', 'The database is unavailable; the request was not counted', retryAfter),
};

/** The OpenAPI 3.1 document of the lookup API, generated from the schemas that type its handlers. */
export function openApiDocument(baseUrl: string): ReturnType<typeof createDocument> {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Lookup API for servers and bots',
        version: '1.0.0',
        description:
          'Profiles of listed servers and bots, vote cooldowns and reviews. All of it is read-only, except the extension for bots.',
      },
      servers: [{ url: baseUrl }],
      security: [{ header: [] }, { query: [] }],
      paths: openApiPaths(),
      components: {
        securitySchemes: {
          header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The preferred form' },
          query: { type: 'apiKey', in: 'query', name: 'key' },
        },
      },
    },
    {
      // Clients accept further properties, and need not validate dates as strictly as zod does.
      override: ({ jsonSchema }) => {
        delete jsonSchema.additionalProperties;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (jsonSchema.format === 'date-time') {
          jsonSchema.pattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';
        }
      },
    },
  );
}

function openApiPaths(): ZodOpenApiPathsObject {
  const paths = Object.entries<Operation>(operations).map(([operationId, operation]) => [
    pathInOpenApi(operation),
    {
      get: {
        operationId,
        summary: operation.summary,
        'x-key-types': operation.keys,
        requestParams: { path: operation.pathParameters, query: operation.queryParameters },
        responses: {
          200: { description: 'Success', content: { 'application/json': { schema: successEnvelope(operation) } } },
          ...failures,
        },
      },
    },
  ]);
  return { ...Object.fromEntries(paths), [botStats.path]: { post: botStatsOperation } };
}

const botStatsOperation = {
  operationId: 'postBotStats',
  summary: botStats.summary,
  'x-key-types': botStats.keys,
  requestBody: { required: true, content: { 'application/json': { schema: botStats.body } } },
  responses: {
    200: {
      description: 'What is stored now',
      content: { 'application/json': { schema: successEnvelope({ data: botStats.data, meta: null }) } },
    },
    ...failures,
    413: failure('TooLarge', 'The body is too large'),
  },
} as const;

export function pathInOpenApi({ path }: Pick<Operation, 'path'>): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function successEnvelope({ data, meta }: Pick<Operation, 'data' | 'meta'>): z.ZodObject {
  return z.object({ success: z.literal(true), data, ...(meta === null ? {} : { meta }) });
}

function failure(id: string, description: string, headers?: typeof retryAfter): ZodOpenApiResponseObject {
  return {
    id,
    description,
    content: { 'application/json': { schema: failureEnvelopeResource } },
    ...(headers && { headers }),
  };
}

/** Serves the OpenAPI document of the lookup API at `baseUrl`. It needs no key. */
export function openApiRouter(baseUrl: string, log: Log): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const document = openApiDocument(baseUrl);
  router.all(openApiPath, (request, response) => {
    requireGet(request);
    response.set('Cache-Control', 'no-cache').json(document);
  });
  router.use(openApiPath, (thrown: unknown, _request: Request, response: Response, _next: NextFunction) => {
    const { status, headers, message } = toApiError(thrown, log);
    response.status(status).set(headers).json({ success: false, error: message });
  });
  return router;
}
