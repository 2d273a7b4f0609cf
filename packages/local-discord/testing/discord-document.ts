import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { schemaByName, schemaOfType } from './discord-types.ts';

/** An operation of Discord's OpenAPI document, from the types that the package `discord-api-spec` generates. */
export interface Operation {
  /** As in `POST /channels/{channel_id}/messages`. */
  readonly name: string;
  /** The query parameters, whose values are strings. */
  readonly query: z.ZodType;
  readonly body: z.ZodType;
  /** By status; `4XX` covers all client errors. */
  readonly responses: ReadonlyMap<string, z.ZodType>;
}

/** The interface `Paths`: for each path and method, the types of the query, the body and the responses. */
const paths = /export interface Paths \{\n([\s\S]*?)\n\}\n/.exec(
  readFileSync(new URL(import.meta.resolve('discord-api-spec').replace(/\.js$/, '.ts')), 'utf8'),
)?.[1];

const operations = [...(paths ?? '').matchAll(/^ {2}"(.+)": \{\n([\s\S]*?)\n {2}\};$/gm)].flatMap(
  ([, path = '', methods = '']) =>
    [...methods.matchAll(/^ {4}(\w+): \{\n([\s\S]*?)\n {4}\};$/gm)].map(([, method = '', text = '']) => ({
      method: method.toUpperCase(),
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
      text,
    })),
);

/** Number of operations in the document. */
export const operationCount = operations.length;

/**
 * Finds the operation of a request; undefined if the document has none. Prefers the path with the fewest parameters:
 * `/webhooks/1/x/messages/@original` is a separate operation.
 */
export function findOperation(method: string, path: string): Operation | undefined {
  const [match] = operations
    .filter((each) => each.method === method && each.pattern.test(path))
    .sort((one, other) => countParameters(one.path) - countParameters(other.path));
  return match && parseOperation(`${match.method} ${match.path}`, match.text);
}

const countParameters = (path: string) => path.split('{').length;

function parseOperation(name: string, text: string): Operation {
  const query = /^ {8}query\?: \{\n([\s\S]*?)\n {8}\};$/m.exec(text)?.[1] ?? '';
  const [, body = '', responses = ''] =
    /^ {6}requestBody\?:([\s\S]*?);\n {6}responses: \{\n([\s\S]*?)\n {6}\};$/m.exec(text) ?? [];
  return {
    name,
    query: z.strictObject(
      Object.fromEntries(
        [...query.matchAll(/^ {10}(\w+)\??: (.+);$/gm)].map(([, key, type]) => [key, queryValueSchema(type)]),
      ),
    ),
    body: schemaOfType(body),
    responses: new Map(
      [...responses.matchAll(/^ {8}"(\w+)":([\s\S]*?);(?=\n {8}\S|$(?![\s\S]))/gm)].map(
        ([, status = '', type = '']) => [status, schemaOfType(type)],
      ),
    ),
  };
}

const integerText = z.string().regex(/^-?\d+$/);

/** The schema of a query value, which is always a string. */
function queryValueSchema(type = ''): z.ZodType {
  if (type === 'number') return integerText.optional();
  if (type === 'boolean') return z.enum(['true', 'false']).optional();
  return type === 'SnowflakeType' ? schemaByName(type).optional() : z.string().optional();
}
