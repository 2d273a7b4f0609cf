import type { z } from 'zod';
import type { SentDispatch } from '../src/connection.ts';
import type { HttpExchange } from '../src/diagnostics.ts';
import { documentedParts } from './discord-dispatches.ts';
import { findOperation } from './discord-document.ts';
import { schemaByName, schemaOfType } from './discord-types.ts';
import { findSchemaErrors } from './schema-errors.ts';

/** Error codes of invalid requests: invalid form body, invalid JSON. Discord: "JSON Error Codes". */
const invalidRequestCodes = [50035, 50109];

/** Allowed statuses of requests to unknown routes; 0 means no response. */
const unroutableStatuses = [0, 400, 401, 404, 405];

/** Validates a request and its response against Discord's OpenAPI document. Returns one message per error. */
export function validateExchange(exchange: HttpExchange): string[] {
  const { method, path, query, body, status, response } = exchange;
  const operation = findOperation(method, path);
  if (operation === undefined && !unroutableStatuses.includes(status))
    return [`${method} ${path} is not in the document`];
  const name = operation?.name ?? `${method} ${path}`;
  const isUnvalidated = isRejectedAsInvalid(exchange) || (status === 0 && body === undefined);
  const requestErrors =
    operation === undefined || isUnvalidated
      ? []
      : [
          ...findSchemaErrors(`${name} query`, operation.query, Object.fromEntries(new URLSearchParams(query))),
          ...findSchemaErrors(`${name} request`, operation.body, body),
        ];
  const schema = responseSchema(status, operation?.responses ?? new Map<string, z.ZodType>());
  return [...requestErrors, ...(status === 0 ? [] : findSchemaErrors(`${name} response ${status}`, schema, response))];
}

/** Validates the objects in a gateway dispatch. */
export function validateDispatch(dispatch: SentDispatch): string[] {
  return documentedParts(dispatch).flatMap(({ field, type, value }) =>
    findSchemaErrors(`${dispatch.t} ${field}`.trim(), schemaOfType(type), value),
  );
}

/** Validates a message. Ephemeral messages have no dispatch, so they are validated only here. */
export function validateMessage(message: unknown): string[] {
  return findSchemaErrors('a message', schemaByName('MessageResponse'), message);
}

/** Whether Discord rejected the request because of its method, its JSON or its form. */
function isRejectedAsInvalid({ status, response }: HttpExchange): boolean {
  const { code } = (response ?? {}) as { code?: number };
  return status === 405 || (status === 400 && invalidRequestCodes.some((each) => each === code));
}

function responseSchema(status: number, responses: ReadonlyMap<string, z.ZodType>): z.ZodType {
  const errorSchema = responses.get('4XX') ?? schemaByName('ErrorResponse');
  return responses.get(String(status)) ?? (status >= 400 ? errorSchema : schemaOfType('never'));
}
