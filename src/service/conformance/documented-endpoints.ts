import { z } from 'zod';
import { openApiDocument } from '../api/openapi.ts';
import type { ListingKind } from '../listing/listing.ts';
import { firstIssue } from './check.ts';

/** What the suite reads of an OpenAPI document. */
const shape = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z.object({
        'x-key-types': z.array(z.enum(['server', 'bot'])),
        parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: z.record(z.string(), z.unknown()) })),
        responses: z.record(z.string(), z.unknown()),
      }),
    }),
  ),
});

/** An endpoint as the OpenAPI document describes it. */
export interface DocumentedEndpoint {
  /** With its parameters in braces. */
  readonly path: string;
  readonly keyTypes: readonly ListingKind[];
  /** Every path parameter takes digits and nothing else. */
  readonly pathParameters: readonly string[];
  /** A fault of a successful answer against what the document shows; null when there is none. */
  readonly faultByDocument: (body: unknown) => string | null;
  /** Likewise, also against what the document leaves open and this service decided. */
  readonly faultByChoice: (body: unknown) => string | null;
  readonly hasMeta: boolean;
}

export function documentedEndpoints(): DocumentedEndpoint[] {
  const document = openApiDocument('http://localhost/api/v1');
  return Object.entries(shape.parse(document).paths).map(([path, { get }]) => {
    const schema = at(get.responses['200'], 'content', 'application/json', 'schema');
    const whole = resolve(schema, document);
    return {
      path,
      keyTypes: get['x-key-types'],
      pathParameters: get.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
      faultByDocument: validator(asShown(whole)),
      faultByChoice: validator(whole),
      hasMeta: at(whole, 'properties', 'meta') !== undefined,
    };
  });
}

/** Puts what is referred to in the place of the reference. */
function resolve(schema: unknown, document: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => resolve(part, document));
  if (!isObject(schema)) return schema;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return resolve(at(document, ...reference.slice(2).split('/')), document);
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, resolve(part, document)]));
}

/** The schema without what the document does not show (`x-not-shown`). */
function asShown(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asShown);
  if (!isObject(schema)) return schema;
  if (schema['x-not-shown'] !== undefined) return {};
  // ISO 8601 leaves it open whether a date has milliseconds.
  if (schema['format'] === 'date-time') return { type: 'string', format: 'date-time' };
  const { properties, required, ...rest } = schema;
  const shown = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, asShown(part)]));
  if (!isObject(properties)) return shown;
  const needed = Array.isArray(required) ? required : [];
  return {
    ...shown,
    properties: asShown(properties),
    required: needed.filter((name) => at(properties, String(name), 'x-not-shown') !== 'presence'),
  };
}

function validator(schema: unknown): (body: unknown) => string | null {
  const reader = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  return (body) => {
    const { error } = reader.safeParse(body);
    return error === undefined ? null : firstIssue(error);
  };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
