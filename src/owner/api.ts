import { TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { HttpError, handleErrors, toHttpError } from '@tallyhook/platform/web/http-error';
import express, { type Request, type Response, Router } from 'express';
import { operator } from '../core/ledger/correction.ts';
import { authorOfToken, isCommunityToken, tokenPrefix } from '../features/tokens/tokens.ts';
import { Created, type Route, requireScope, routes } from './api-routes.ts';
import type { Authentication } from './authentication.ts';
import { createApiReference } from './console/api-reference.ts';
import type { Caller, OwnerContext } from './context.ts';
import { scopeContext } from './scope-context.ts';

interface ApiAccess {
  readonly authentication: Authentication;
  /** False without `OWNER_TOKEN`: then only requests with the token of a community are answered. */
  readonly hasOperator: boolean;
}

/**
 * The owner's HTTP API, to be mounted at `/owner/api`, for the operator and the tokens of communities. Bodies are JSON,
 * times are ISO 8601 in UTC. Errors are `{success: false, error, code}`: 400 for an invalid request, 401 without a valid
 * token, 403 without the scope of a route, 404 for an unknown path or id and for what belongs to another community, 409
 * for a conflict with the current state, 429 with `Retry-After` after too many requests or wrong tokens, 503 when the
 * database is unavailable.
 */
export function createOwnerApi(context: OwnerContext, { authentication, hasOperator }: ApiAccess): Router {
  const callers = new WeakMap<Request, Caller>();

  async function identify(token: string, client: string): Promise<Caller | null> {
    if (isCommunityToken(token)) return authentication.verifyRandom(client, () => findCaller(token, context));
    return (await authentication.verifyToken(token, client)) ? { context, author: operator, token: null } : null;
  }

  const router = Router();
  router.use(createApiReference());
  router.use(async (request, response, next) => {
    const token = bearerOf(request);
    if (!hasOperator && !token?.startsWith(tokenPrefix)) return next('router');
    response.set('cache-control', 'no-store');
    const client = clientKeyOf(request.ip);
    await authentication.countRequest(client);
    // A request without a token does not count as a failed attempt.
    const caller = token === undefined ? null : await identify(token, client);
    if (caller === null) {
      response.set('www-authenticate', 'Bearer');
      throw new HttpError(401, 'Send "Authorization: Bearer …" with the OWNER_TOKEN, or the token of a community.');
    }
    callers.set(request, caller);
    next();
  });
  router.use(express.json({ limit: '16kb', type: () => true }));
  for (const route of routes) {
    router[route.method](route.path, async (request, response) => {
      const caller = callers.get(request);
      if (caller === undefined) throw new Error('The request was not authenticated.');
      requireScope(caller, route.scope);
      requireOwnGuild(caller, request.query['guildId']);
      if ('stream' in route) {
        const secret = bearerOf(request) ?? '';
        const isValid = async () => caller.token === null || (await context.tokens.verify(secret)) !== null;
        await route.stream(request, response, caller, isValid);
      } else {
        await answer(route, request, response, caller);
      }
    });
  }
  router.use(() => {
    throw new HttpError(404, 'The owner API has no such path, or the path does not support this method.');
  });
  router.use(sendErrors(context.log));
  return router;
}

/** A token may name its own server where none is needed. @throws HttpError 404 for another one */
function requireOwnGuild({ context }: Caller, guildId: unknown): void {
  if (context.scope !== null && typeof guildId === 'string' && guildId !== '') context.communities.at(guildId);
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Null for a wrong token. @throws HttpError 404 if the community of a token has no listings any more */
async function findCaller(secret: string, context: OwnerContext): Promise<Caller | null> {
  const token = await context.tokens.verify(secret);
  if (token === null) return null;
  const scope = context.guilds.scopeOfCommunity(token.communityId);
  if (scope === null) throw new HttpError(404, 'The community of this token has no listings.');
  return { context: scopeContext(context, scope), author: authorOfToken(token), token };
}

async function answer(route: Route, request: Request, response: Response, caller: Caller): Promise<void> {
  const { params, query, body } = request;
  const result = await route.answer({ params, query, body, idempotencyKey: request.get('idempotency-key') }, caller);
  if (result instanceof Created) response.status(201).json(result.body);
  else response.json(result);
}

const retryAfterSeconds = 5;

/** The code of an error without one of its own, by status. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_body',
  429: 'too_many_requests',
  500: 'internal_error',
  503: 'unavailable',
};

function sendErrors(log: Log) {
  return handleErrors({
    // Its message is written for the operator, so it may be sent.
    toHttpError: (thrown) =>
      thrown instanceof TallyhookError ? new HttpError(503, thrown.message, retryAfterSeconds) : toHttpError(thrown),
    unexpected: new HttpError(503, 'The database is unavailable.', retryAfterSeconds),
    log,
    logMessage: 'owner API request failed',
    send({ status, message, code }, _request, response) {
      response.json({ success: false, error: message, code: code ?? codes[status] ?? 'error' });
    },
  });
}
