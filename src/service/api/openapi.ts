import { z } from 'zod';
import { type Operation, operations } from './operations.ts';
import {
  botProfileResource,
  failure,
  reviewResource,
  reviewsMeta,
  serverProfileResource,
  voteStatusResource,
} from './schemas.ts';

/** A JSON value. */
type Json = Readonly<Record<string, unknown>>;

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
};

const named: Readonly<Record<string, z.ZodType>> = {
  ServerProfile: serverProfileResource,
  BotProfile: botProfileResource,
  VoteStatus: voteStatusResource,
  Review: reviewResource,
  ReviewsMeta: reviewsMeta,
  Failure: failure,
};

/** The OpenAPI 3.1 description of the lookup API, made of the schemas that the code answers with. */
export function openApiDocument(baseUrl: string): Json {
  const paths = Object.entries(operations).map(([operationId, operation]) => [
    operation.path.replace(/:(\w+)/g, '{$1}'),
    { get: describe(operationId, operation) },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lookup API for servers and bots',
      version: '1.0.0',
      description: 'Read-only: profiles of listed servers and bots, vote cooldowns and reviews.',
    },
    servers: [{ url: baseUrl }],
    security: [{ header: [] }, { query: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, jsonSchema(schema)])),
      securitySchemes: {
        header: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The preferred form' },
        query: { type: 'apiKey', in: 'query', name: 'key' },
      },
      responses: Object.fromEntries(
        failures.map(({ status: _status, name, ...rest }) => [name, { ...rest, content: failureBody }]),
      ),
    },
  };
}

function describe(operationId: string, operation: Operation): Json {
  return {
    operationId,
    summary: operation.summary,
    'x-key-types': operation.keys,
    parameters: [...parameters('path', operation.pathParameters), ...parameters('query', operation.queryParameters)],
    responses: {
      200: { description: 'Success', content: { 'application/json': { schema: envelope(operation) } } },
      ...Object.fromEntries(failures.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }])),
    },
  };
}

function envelope({ data, meta }: Operation): Json {
  return {
    type: 'object',
    properties: {
      success: { const: true },
      data: reference(data),
      ...(meta === null ? {} : { meta: reference(meta) }),
    },
    required: ['success', 'data', ...(meta === null ? [] : ['meta'])],
  };
}

function parameters(place: 'path' | 'query', schema: z.ZodObject): Json[] {
  const { properties = {} } = jsonSchema(schema) as { properties?: Json };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: shape,
  }));
}

/** The failures that every endpoint knows (document, section 7, which leaves other cases open). */
const failures = [
  {
    status: 400,
    name: 'BadRequest',
    description: 'The endpoint does not match the key type, or a parameter is invalid',
  },
  { status: 401, name: 'Unauthorized', description: 'API key missing or invalid' },
  { status: 429, name: 'TooManyRequests', description: 'The request limit was exceeded', headers: retryAfter },
  { status: 500, name: 'Unexpected', description: 'Unexpected backend error' },
  {
    status: 503,
    name: 'Unavailable',
    description: 'Nothing can be stored at the moment; the request was not counted',
    headers: retryAfter,
  },
] as const;

const failureBody = { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } };

/** The schema's name where it has one, so that generated clients get the names too. */
function reference(schema: z.ZodType): Json {
  const name = Object.keys(named).find((candidate) => named[candidate] === schema);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (schema instanceof z.ZodArray) return { type: 'array', items: reference(schema.element as z.ZodType) };
  return jsonSchema(schema);
}

/** Lean where zod is exact: a client of this document shall accept further fields and need not check for leap years. */
function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'date-time')
        jsonSchema.pattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$';
    },
  });
  return rest;
}
