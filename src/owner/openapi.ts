import { type JsonObject, listOf, objectOf, textsOf } from '@tallyhook/platform/json';
import { readVersion } from '@tallyhook/platform/version';
import { z } from 'zod';
import { type EventType, eventTypes } from '../features/events/event-types.ts';
import { eventSchema } from '../features/events/schemas.ts';
import { type Route, routes, type StreamRoute } from './api-routes.ts';
import { errorResponse } from './api-schemas.ts';

const components = '#/components/schemas/';
const json = (schema: JsonObject) => ({ 'application/json': { schema } });

/** Descriptions of statuses other than success. */
const errors = {
  400: 'The request is invalid; `error` names every invalid field.',
  401: 'The token is missing, unknown, revoked or has expired.',
  403: 'The token lacks the scope that `error` names.',
  404: 'There is no such thing, or it belongs to another community.',
  429: 'Too many requests, or wrong tokens. Retry after `Retry-After` seconds.',
  503: 'The database is unavailable. Retry after `Retry-After` seconds.',
} as const;

/** The OpenAPI document of all routes. */
export function createOpenApi(): JsonObject {
  const schemas: Record<string, unknown> = {};
  /** The schema with its components apart. */
  function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const { $schema: _dialect, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override });
    const linked: JsonObject = JSON.parse(JSON.stringify({ own, $defs }).replaceAll('"#/$defs/', `"${components}`));
    Object.assign(schemas, objectOf(linked['$defs']));
    return objectOf(linked['own']);
  }
  const error = json(schemaOf(errorResponse, 'output'));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route, schemaOf) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'tallyhook: owner API',
      version: readVersion(),
      description: [
        'Votes, accounts, purchases and settings of a community. Send `Authorization: Bearer` with the token of a',
        'community, which sees that community alone, or with the OWNER_TOKEN of the operator, who names one of several',
        'communities with `guildId`. Times are ISO 8601 in UTC; ids of Discord are strings. Lists return `next`, which is',
        'the `before` of the next page.',
      ].join(' '),
    },
    servers: [{ url: '/owner/api' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ token: [] }],
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, { post: deliveryOf(type, schemaOf) }])),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of a community (`thk_…`), or the OWNER_TOKEN.' },
      },
      responses: {
        ...Object.fromEntries(
          Object.entries(errors).map(([status, description]) => [`Error${status}`, { description, content: error }]),
        ),
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))),
    },
  };
}

/** Leaves out what says nothing: the pattern of a format, and the limits of every whole number. */
function override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => JsonObject;

const deliveryHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The request that a webhook of the community receives. */
function deliveryOf(type: EventType, schemaOf: SchemaOf): JsonObject {
  return {
    ...{ operationId: type, tags: ['Events'], summary: `The event ${type}`, security: [] },
    description: 'Signed by Standard Webhooks. The stream of events has the same bodies.',
    parameters: deliveryHeaders.map((name) => ({ name, in: 'header', required: true, schema: { type: 'string' } })),
    requestBody: { required: true, content: json(schemaOf(eventSchema(type), 'output')) },
    responses: {
      '2XX': { description: 'Received.' },
      410: { description: 'The address is gone, and receives no more.' },
    },
  };
}

function operationOf(route: Route | StreamRoute, schemaOf: SchemaOf): JsonObject {
  const { method, path, scope, tag, summary, params, query, body, isIdempotent, creates, conflict } = route;
  const content =
    'stream' in route
      ? {
          'text/event-stream': {
            schema: { type: 'string', description: 'Events with an id, a type and JSON as data.' },
          },
        }
      : json(schemaOf(route.response, 'output'));
  const statuses = Object.keys(errors).filter(
    (status) => status !== '404' || params !== undefined || query !== undefined,
  );
  const parameters = [
    ...(params === undefined ? [] : parametersOf(schemaOf(params, 'input'), 'path')),
    ...(query === undefined ? [] : parametersOf(schemaOf(query, 'input'), 'query')),
    ...(isIdempotent === undefined ? [] : [idempotencyKey]),
  ];
  return {
    operationId: operationId(method, path),
    ...{ tags: [tag], summary },
    description: `Scope of a token: \`${scope}\`.`,
    security: [{ token: [scope] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: json(schemaOf(body, 'input')) } }),
    responses: {
      ...(isAlwaysCreated(route) ? {} : { 200: { description: 'Success.', content } }),
      ...(creates && { 201: { description: 'Created.', content } }),
      ...Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }])),
      ...(conflict !== undefined && { 409: { description: conflict, content: json({ $ref: `${components}Error` }) } }),
    },
  };
}

/** True if every request creates something: one with an idempotency key may repeat an earlier one. */
function isAlwaysCreated({ creates, isIdempotent }: Pick<Route, 'creates' | 'isIdempotent'>): boolean {
  return creates === true && isIdempotent === undefined;
}

/** `getUsersUserId`: unique and stable, for generated clients. */
function operationId(method: string, path: string): string {
  const words = path.split('/').flatMap((part) => part.replace(':', '') || []);
  return [method, ...words.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)].join('');
}

const idempotencyKey = {
  ...{ name: 'Idempotency-Key', in: 'header', required: false },
  description: 'Repeating a request with the same key changes nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

function parametersOf({ properties, required }: JsonObject, place: 'path' | 'query'): readonly JsonObject[] {
  return Object.entries(objectOf(properties)).map(([name, schema]) => {
    const { description, ...own } = parameterSchema(objectOf(schema));
    return {
      ...{ name, in: place, required: place === 'path' || textsOf(required).includes(name) },
      ...(description !== undefined && { description }),
      schema: own,
    };
  });
}

/** The schema of a parameter in an address, where nothing is null, and a number is written in digits. */
function parameterSchema({ default: preset, anyOf, ...own }: JsonObject): JsonObject {
  const choices = listOf(anyOf).filter(({ type }) => type !== 'null');
  const [only] = choices;
  const schema: JsonObject = { ...own, ...(choices.length > 1 ? { anyOf: choices } : only) };
  const { type: _text, pattern, ...rest } = schema;
  return {
    ...(pattern === '^\\d{1,15}$' ? { type: 'integer', minimum: 0, ...rest } : schema),
    ...(preset !== undefined && preset !== null && { default: preset }),
  };
}
