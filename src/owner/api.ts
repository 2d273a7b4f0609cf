import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { TallyhookError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { Authentication } from './authentication.ts';
import { clientKeyOf } from './client-key.ts';
import type { OwnerContext } from './context.ts';
import { correct } from './correct.ts';
import { getDelivery } from './get-delivery.ts';
import { getMember } from './get-member.ts';
import { getSummary } from './get-summary.ts';
import { HttpError, toHttpError } from './http-error.ts';
import { deliveryDetailsJson, deliveryJson, effectJson, iso, memberJson, oneEffectJson, summaryJson } from './json.ts';
import { paginate } from './paginate.ts';
import { findEffect, replayDelivery, replayEffect } from './replay.ts';
import {
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  idempotencyKey,
  idParameter,
  pageQuery,
  parseRequest,
  userParameter,
} from './request-schemas.ts';

/**
 * The owner's HTTP API, to be mounted at `/owner/api`. JSON; times are ISO 8601 UTC; failures are `{success: false, error}`: 400 for what
 * cannot be, 401 without the token, 404 for what is not there, 409 for what cannot be done to it, 429 with `Retry-After` after too many
 * requests or wrong tokens, 503 when the store does not answer.
 */
export function createOwnerApi(services: OwnerContext, gate: Authentication): Router {
  const router = Router();
  router.use(noStore, bearerOnly(gate), express.json({ limit: '16kb', type: () => true }));

  router.get(
    '/summary',
    answer(async () => summaryJson(await getSummary(services))),
  );

  router.get(
    '/users/:userId',
    answer(async ({ params, query }) => {
      const page = parseRequest(pageQuery, query);
      return memberJson(await getMember(services, parseRequest(userParameter, params).userId, page));
    }),
  );

  router.post(
    '/users/:userId/corrections',
    answer(async (request, response) => {
      const { userId } = parseRequest(userParameter, request.params);
      const asked = parseRequest(correctionRequest, request.body);
      const { balance, repeated, at } = await correct(services, userId, asked, keyOf(request));
      response.status(repeated ? 200 : 201);
      return { userId, credits: balance, correction: { ...asked, ...(!repeated && { at: iso(at) }) }, repeated };
    }),
  );

  router.get(
    '/deliveries',
    answer(async ({ query }) => {
      const { user, ...asked } = parseRequest(deliveriesQuery, query);
      const { rows, next } = await paginate({ ...asked, userId: user }, services.records.deliveries);
      return { deliveries: rows.map(deliveryJson), next };
    }),
  );

  router.get(
    '/deliveries/:id',
    answer(async ({ params }) =>
      deliveryDetailsJson(await getDelivery(services, parseRequest(idParameter, params).id)),
    ),
  );

  router.post(
    '/deliveries/:id/replay',
    answer(async ({ params }) => replayDelivery(services, parseRequest(idParameter, params).id)),
  );

  router.get(
    '/effects',
    answer(async ({ query }) => {
      const asked = parseRequest(effectsQuery, query);
      const { rows, next } = await paginate(asked, services.records.effects);
      return { effects: rows.map(effectJson), next };
    }),
  );

  router.get(
    '/effects/:id',
    answer(async ({ params }) => oneEffectJson(await findEffect(services, parseRequest(idParameter, params).id))),
  );

  router.post(
    '/effects/:id/replay',
    answer(async ({ params }) => oneEffectJson(await replayEffect(services, parseRequest(idParameter, params).id))),
  );

  router.use(() => {
    throw new HttpError(404, 'The owner API has no such path, or not with this method.');
  });
  router.use(refuse(services.log));
  return router;
}

const noStore: RequestHandler = (_request, response, next) => {
  response.set('cache-control', 'no-store');
  next();
};

/** Lets only the bearer of the token pass. Who sends none has tried none, and does not count as an attempt. */
function bearerOnly(gate: Authentication): RequestHandler {
  return (request, response, next) => {
    const address = clientKeyOf(request.ip);
    gate.pass(address);
    const [, given] = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given !== undefined && gate.knows(given, address)) return next();
    response.set('www-authenticate', 'Bearer');
    throw new HttpError(401, 'Send "Authorization: Bearer …" with the OWNER_TOKEN.');
  };
}

function answer(produce: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    response.json(await produce(request, response));
  };
}

function keyOf(request: Request): string | null {
  const key = request.get('idempotency-key');
  return key === undefined ? null : parseRequest(idempotencyKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

function refuse(log: Log): ErrorRequestHandler {
  return (error: unknown, _request: Request, response: Response, _next) => {
    const refusal = toHttpError(error);
    if (refusal !== null) {
      if (refusal.retryAfter !== null) response.set('retry-after', String(refusal.retryAfter));
      response.status(refusal.status).json({ success: false, error: refusal.message });
      return;
    }
    const foreseen = error instanceof TallyhookError;
    if (!foreseen) log.error({ error: String(error) }, 'the owner API failed');
    const text = foreseen ? error.message : 'The database does not answer.';
    response.status(503).set('retry-after', '5').json({ success: false, error: text });
  };
}
