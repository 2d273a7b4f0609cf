import { TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { HttpError, handleErrors, toHttpError } from '@tallyhook/platform/web/http-error';
import { paginate } from '@tallyhook/platform/web/pagination';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { operator } from '../core/ledger/correction.ts';
import type { Board } from '../core/ledger/standing.ts';
import { type DeliveryRecord, type EffectRecord, isPruned } from '../core/records/records.ts';
import {
  type DeliveryDetails,
  explainDelivery,
  explainEffect,
  getDelivery,
} from '../features/traces/delivery-details.ts';
import type { Authentication } from './authentication.ts';
import type { OwnerContext } from './context.ts';
import {
  correct,
  decideAlarm,
  decisions,
  findEffect,
  getMember,
  getSummary,
  listDeliveries,
  listListings,
  type MemberAccount,
  type MemberDetails,
  replayDelivery,
  replayEffect,
  reverseVotes,
} from './queries.ts';
import {
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  idParameter,
  leaderboardQuery,
  listingParameter,
  memberQuery,
  parseRequest,
  readIdempotencyKey,
  reversalRequest,
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
    sendJson(() => summaryOf(context)),
  );

  router.get(
    '/users/:userId',
    sendJson(async ({ params, query }) => {
      const { guildId, ...page } = parseRequest(memberQuery, query);
      const { userId } = parseRequest(userParameter, params);
      return memberJson(await getMember(context, userId, page, context.communities.at(guildId)));
    }),
  );

  router.get(
    '/leaderboard',
    sendJson(async ({ query }) => getLeaderboard(context, parseRequest(leaderboardQuery, query))),
  );

  router.post(
    '/users/:userId/corrections',
    sendJson(async (request, response) => {
      const { userId } = parseRequest(userParameter, request.params);
      const correction = parseRequest(correctionRequest, request.body);
      const { balance, repeated, at } = await correct(context, userId, correction, byOperator(request));
      response.status(repeated ? 200 : 201);
      return { userId, credits: balance, correction: { ...correction, ...(!repeated && { at }) }, repeated };
    }),
  );

  router.get(
    '/deliveries',
    sendJson(async ({ query }) => {
      const { rows, next } = await listDeliveries(context, parseRequest(deliveriesQuery, query));
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
    sendJson(async ({ params }) => replayDelivery(context, parseRequest(idParameter, params).id, operator)),
  );

  router.get(
    '/effects',
    sendJson(async ({ query }) => {
      const { rows, next } = await paginate(parseRequest(effectsQuery, query), context.records.effects);
      return { effects: rows, next };
    }),
  );

  router.get(
    '/effects/:id',
    sendJson(async ({ params }) => effectDetailsJson(await findEffect(context, parseRequest(idParameter, params).id))),
  );

  router.post(
    '/effects/:id/replay',
    sendJson(async ({ params }) =>
      effectDetailsJson(await replayEffect(context, parseRequest(idParameter, params).id, operator)),
    ),
  );

  router.get('/events', (request, response) =>
    context.stream.send(request, response, context.scope?.communityId ?? null),
  );

  router.get(
    '/listings',
    sendJson(async () => ({ listings: await listListings(context) })),
  );

  router.post(
    '/listings/:listing/reversals',
    sendJson(async ({ params, body }) => {
      const { listing } = parseRequest(listingParameter, params);
      const { dryRun, ...range } = parseRequest(reversalRequest, body);
      return reverseVotes(context, { listing, ...range }, dryRun);
    }),
  );

  for (const decision of decisions) {
    router.post(
      `/listings/:listing/${decision}`,
      sendJson(({ params }) => decideAlarm(context, parseRequest(listingParameter, params).listing, decision)),
    );
  }

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
  return async (request, response, next) => {
    const client = clientKeyOf(request.ip);
    await authentication.countRequest(client);
    const [, token] = /^Bearer +(\S.*)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined && (await authentication.verifyToken(token, client))) return next();
    response.set('www-authenticate', 'Bearer');
    throw new HttpError(401, 'Send "Authorization: Bearer …" with the OWNER_TOKEN.');
  };
}

function sendJson(handle: (request: Request, response: Response) => Promise<unknown>): RequestHandler {
  return async (request, response) => {
    response.type('json').send(JSON.stringify(await handle(request, response), withIsoTimes));
  };
}

function byOperator(request: Request) {
  const key = request.get('idempotency-key');
  return { idempotencyKey: key === undefined ? null : readIdempotencyKey(key), author: operator };
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

/** Times by the names that they have everywhere, as ISO 8601 in UTC. */
function withIsoTimes(key: string, value: unknown): unknown {
  return typeof value === 'number' && /^(at|until|asOf|\w+At)$/.test(key) ? new Date(value).toISOString() : value;
}

/** The body is null if it was pruned; a duplicate has the body of the delivery that it repeats. */
function deliveryJson(delivery: DeliveryRecord) {
  const { id, receivedAt, family, listing, kind, outcome, reason, userId, credits } = delivery;
  const body = isPruned(delivery) ? null : delivery.body;
  return { id, receivedAt, family, listing, kind, outcome, reason, userId, credits, body };
}

function effectDetailsJson(effect: EffectRecord) {
  return { ...effect, why: explainEffect(effect) };
}

function deliveryDetailsJson({ delivery, original, entry, effects, why, timeline }: DeliveryDetails) {
  return {
    ...deliveryJson(delivery),
    why,
    duplicateOf: original,
    entry,
    effects,
    timeline,
  };
}

function memberJson(member: MemberDetails) {
  const { standing, listings, entries, unpaid } = member;
  return {
    userId: standing.userId,
    ...accountJson(member),
    listings,
    entries: entries.rows,
    next: entries.next,
    unpaid: unpaid.map((delivery) => ({ ...deliveryJson(delivery), why: explainDelivery(delivery) })),
  };
}

function accountJson({ guildId, standing, marks, last }: MemberAccount) {
  const { credits, votes, rank, streak, grants } = standing;
  return {
    guildId,
    credits,
    votes,
    rank,
    streak: { days: streak.days, endsAt: streak.endsAt },
    grants: grants.map(({ role, until }) => ({ role, until })),
    reminder: marks.reminder !== 0,
    lastVoteAt: last?.lastVoteAt ?? null,
    nextVoteAt: last?.nextVoteAt ?? null,
  };
}

async function summaryOf(context: OwnerContext) {
  const { counts, parts, budgets, lastDelivery } = await getSummary(context);
  return { ...counts, parts, budgets, lastDelivery: lastDelivery && deliveryJson(lastDelivery) };
}

/** @param guildId null for the only community @param page `before` is how many members to skip; null for the first page */
async function getLeaderboard(
  { communities, clock }: Pick<OwnerContext, 'communities' | 'clock'>,
  {
    period,
    by,
    guildId,
    ...page
  }: Board & { readonly guildId: string | null; readonly limit: number; readonly before: number | null },
) {
  const { standings } = communities.at(guildId);
  const query = { period, by, limit: page.limit, offset: page.before ?? 0, userId: null };
  const { members, offset, total, asOf } = await standings.leaderboard(query, clock.now());
  const end = offset + members.length;
  // `next` is the `before` of the next page: how many members this and the earlier ones have.
  return { period, by, members, total, asOf, next: end < total ? end : null };
}
