import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { clientKeyOf } from '../platform/web/client-key.ts';
import { HttpError, handleErrors, toHttpError } from '../platform/web/http-error.ts';
import { paginate } from '../platform/web/pagination.ts';
import type { Authentication } from './authentication.ts';
import type { OwnerContext } from './context.ts';
import { correct } from './correct.ts';
import { getDelivery } from './get-delivery.ts';
import { getLeaderboard } from './get-leaderboard.ts';
import { getMember } from './get-member.ts';
import { getSummary } from './get-summary.ts';
import {
  deliveryDetailsJson,
  deliveryJson,
  effectDetailsJson,
  effectJson,
  iso,
  leaderboardJson,
  memberJson,
  summaryJson,
} from './json.ts';
import { findEffect, replayDelivery, replayEffect } from './replay.ts';
import {
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  idempotencyKey,
  idParameter,
  leaderboardQuery,
  memberQuery,
  parseRequest,
  userParameter,
} from './request-schemas.ts';

/**
 * The owner's HTTP API, to be mounted at `/owner/api`. Bodies are JSON, times are ISO 8601 in UTC. Errors are
 * `{success: false, error}`: 400 for an invalid request, 401 without the token, 404 for an unknown path or id, 409 for
 * a conflict with the current state, 429 with `Retry-After` after too many requests or wrong tokens, 503 when the
 * database is unavailable.
 */
export function createOwnerApi(context: OwnerContext, authentication: Authentication): Router {
  const router = Router();
  router.use(noStore, requireToken(authentication), express.json({ limit: '16kb', type: () => true }));

  router.get(
    '/summary',
    sendJson(async () => summaryJson(await getSummary(context))),
  );

  router.get(
    '/users/:userId',
    sendJson(async ({ params, query }) => {
      const { guildId, ...page } = parseRequest(memberQuery, query);
      return memberJson(await getMember(context, parseRequest(userParameter, params).userId, page, guildId));
    }),
  );

  router.get(
    '/leaderboard',
    sendJson(async ({ query }) =>
      leaderboardJson(await getLeaderboard(context, parseRequest(leaderboardQuery, query))),
    ),
  );

  router.post(
    '/users/:userId/corrections',
    sendJson(async (request, response) => {
      const { userId } = parseRequest(userParameter, request.params);
      const correction = parseRequest(correctionRequest, request.body);
      const { balance, repeated, at } = await correct(context, userId, correction, idempotencyKeyOf(request));
      response.status(repeated ? 200 : 201);
      return { userId, credits: balance, correction: { ...correction, ...(!repeated && { at: iso(at) }) }, repeated };
    }),
  );

  router.get(
    '/deliveries',
    sendJson(async ({ query }) => {
      const { user, ...filter } = parseRequest(deliveriesQuery, query);
      const { rows, next } = await paginate({ ...filter, userId: user }, context.records.deliveries);
      return { deliveries: rows.map(deliveryJson), next };
    }),
  );

  router.get(
    '/deliveries/:id',
    sendJson(async ({ params }) =>
      deliveryDetailsJson(await getDelivery(context, parseRequest(idParameter, params).id)),
    ),
  );

  router.post(
    '/deliveries/:id/replay',
    sendJson(async ({ params }) => replayDelivery(context, parseRequest(idParameter, params).id)),
  );

  router.get(
    '/effects',
    sendJson(async ({ query }) => {
      const { rows, next } = await paginate(parseRequest(effectsQuery, query), context.records.effects);
      return { effects: rows.map(effectJson), next };
    }),
  );

  router.get(
    '/effects/:id',
    sendJson(async ({ params }) => effectDetailsJson(await findEffect(context, parseRequest(idParameter, params).id))),
  );

  router.post(
    '/effects/:id/replay',
    sendJson(async ({ params }) =>
      effectDetailsJson(await replayEffect(context, parseRequest(idParameter, params).id)),
    ),
  );

  router.use(() => {
    throw new HttpError(404, 'The owner API has no such path, or the path does not support this method.');
  });
  router.use(sendErrors(context.log));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

/** Requires the bearer token. A request without a token does not count as a failed attempt. */
function requireToken(authentication: Authentication): RequestHandler {
  return (request, response, next) => {
    const client = clientKeyOf(request.ip);
    authentication.countRequest(client);
    const [, token] = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined && authentication.verifyToken(token, client)) return next();
    response.set('www-authenticate', 'Bearer');
    throw new HttpError(401, 'Send "Authorization: Bearer …" with the OWNER_TOKEN.');
  };
}

function sendJson(handle: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    response.json(await handle(request, response));
  };
}

function idempotencyKeyOf(request: Request): string | null {
  const key = request.get('idempotency-key');
  return key === undefined ? null : parseRequest(idempotencyKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

const retryAfterSeconds = 5;

function sendErrors(log: Log) {
  return handleErrors({
    // Its message is written for the operator, so it may be sent.
    toHttpError: (thrown) =>
      thrown instanceof TallyhookError ? new HttpError(503, thrown.message, retryAfterSeconds) : toHttpError(thrown),
    unexpected: new HttpError(503, 'The database is unavailable.', retryAfterSeconds),
    log,
    logMessage: 'owner API request failed',
    send: ({ message }, _request, response) => void response.json({ success: false, error: message }),
  });
}
