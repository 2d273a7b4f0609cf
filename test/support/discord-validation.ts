import type { z } from 'zod';
import type { HttpExchange } from '../../src/sandbox/discord/diagnostics.ts';
import type { SentDispatch } from '../../src/sandbox/discord/session.ts';
import { documentedParts } from './discord-dispatches.ts';
import { findOperation } from './discord-document.ts';
import { schemaByName, schemaOfType } from './discord-types.ts';
import { findSchemaErrors } from './schema-errors.ts';

/** Refusals of what was meant to be at fault: an invalid form, no JSON. Discord: "JSON Error Codes". */
const invalidRequestCodes = [50035, 50109];

/** What an address that there is not may be answered with. */
const unroutableStatuses = [0, 400, 401, 404, 405];

/** What Discord's document finds wrong with a request and its answer, a sentence each. */
export function validateExchange(exchange: HttpExchange): string[] {
  const { method, path, query, body, status, response: answer } = exchange;
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
  return [...requestErrors, ...(status === 0 ? [] : findSchemaErrors(`${name} answer ${status}`, schema, answer))];
}

/** What Discord's document finds wrong with the objects in a dispatch of the gateway. */
export function validateDispatch(dispatch: SentDispatch): string[] {
  return documentedParts(dispatch).flatMap(({ field, type, value }) =>
    findSchemaErrors(`${dispatch.t} ${field}`.trim(), schemaOfType(type), value),
  );
}

/** What it finds wrong with a message, also with one that only a member sees and no dispatch tells of. */
export function validateMessage(message: unknown): string[] {
  return findSchemaErrors('a message', schemaByName('MessageResponse'), message);
}

/** A request that Discord did not even take in: its form, its JSON or its method is wrong. */
function isRejectedAsInvalid({ status, response: answer }: HttpExchange): boolean {
  const { code } = (answer ?? {}) as { code?: number };
  return status === 405 || (status === 400 && invalidRequestCodes.some((each) => each === code));
}

function responseSchema(status: number, responses: ReadonlyMap<string, z.ZodType>): z.ZodType {
  const errorSchema = responses.get('4XX') ?? schemaByName('ErrorResponse');
  return responses.get(String(status)) ?? (status >= 400 ? errorSchema : schemaOfType('never'));
}
