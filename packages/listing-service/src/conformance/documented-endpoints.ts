import { z } from 'zod';
import { openApiDocument, pathInOpenApi } from '../api/openapi.ts';
import { type Operation, operations } from '../api/operations.ts';
import { firstIssue, utcTimestamp } from './check.ts';

export type DocumentedEndpoint = ReturnType<typeof documentedEndpoints>[number];

export function documentedEndpoints() {
  const document = openApiDocument('http://localhost/api/v1');
  return Object.values<Operation>(operations).map((operation) => {
    const path = pathInOpenApi(operation);
    const response = valueAt(document, 'paths', path, 'get', 'responses', '200');
    const fullSchema = inlineReferences(valueAt(response, 'content', 'application/json', 'schema'), document);
    return {
      /** The path with its parameters in braces. */
      path,
      keyTypes: operation.keys,
      /** Every path parameter is numeric. */
      pathParameters: Object.keys(operation.pathParameters.shape),
      /** The first deviation of a successful response from what the document defines, or null. */
      documentedIssue: validator(documentedPart(fullSchema)),
      /** The same, including what the document does not define and this service chose. */
      fullSchemaIssue: validator(fullSchema),
      hasMeta: operation.meta !== null,
    };
  });
}

function inlineReferences(schema: unknown, document: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => inlineReferences(part, document));
  if (!isObject(schema)) return schema;
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    return inlineReferences(valueAt(document, ...reference.slice(2).split('/')), document);
  }
  return Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, inlineReferences(part, document)]));
}

/** The schema without the parts that the document does not define (`x-not-shown`). */
function documentedPart(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documentedPart);
  if (!isObject(schema)) return schema;
  if (schema['x-not-shown'] !== undefined) return {};
  if (schema['format'] === 'date-time') return { type: 'string', pattern: utcTimestamp.source };
  const { properties, required, ...others } = schema;
  const documented = Object.fromEntries(Object.entries(others).map(([name, part]) => [name, documentedPart(part)]));
  if (!isObject(properties)) return documented;
  const requiredNames = Array.isArray(required) ? required : [];
  return {
    ...documented,
    properties: documentedPart(properties),
    required: requiredNames.filter((name) => valueAt(properties, String(name), 'x-not-shown') !== 'presence'),
  };
}

function validator(schema: unknown): (body: unknown) => string | null {
  if (!isObject(schema)) throw new TypeError('The OpenAPI document has an operation without a schema.');
  const bodySchema = z.fromJSONSchema(schema);
  return (body) => {
    const { error } = bodySchema.safeParse(body);
    return error === undefined ? null : firstIssue(error);
  };
}

function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
