import { isOnCalendar } from '@tallyhook/platform/calendar-date';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { HttpError, handleErrors, toHttpError } from '@tallyhook/platform/web/http-error';
import { paginate } from '@tallyhook/platform/web/pagination';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import { maxCorrection, maxReasonLength, operator } from '../core/ledger/correction.ts';
import { type Board, type LeaderboardPage, leaderboardPeriods, leaderboardScores } from '../core/ledger/standing.ts';
import { type DeliveryRecord, type EffectRecord, isPruned, type LedgerEntry } from '../core/records/records.ts';
import { withoutGuild } from '../features/communities/directory.ts';
import {
  type DeliveryDetails,
  explainDelivery,
  explainEffect,
  getDelivery,
} from '../features/traces/delivery-details.ts';
import { outcomes } from '../webhook/response.ts';
import { siteIds } from '../webhook/sites/site-settings.ts';
import type { Authentication } from './authentication.ts';
import type { OwnerContext } from './context.ts';
import {
  correct,
  decideAlarm,
  decisions,
  findEffect,
  getMember,
  getSummary,
  type ListingDetails,
  listDeliveries,
  listListings,
  type MemberAccount,
  type MemberDetails,
  replayDelivery,
  replayEffect,
  reverseVotes,
  type Summary,
  type VoteTimes,
} from './queries.ts';

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
      const { userId } = parseRequest(userParameter, params);
      return memberJson(await getMember(context, userId, page, context.communities.at(guildId)));
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
      const { balance, repeated, at } = await correct(context, userId, correction, byOperator(request));
      response.status(repeated ? 200 : 201);
      return { userId, credits: balance, correction: { ...correction, ...(!repeated && { at: iso(at) }) }, repeated };
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
      effectDetailsJson(await replayEffect(context, parseRequest(idParameter, params).id, operator)),
    ),
  );

  router.get(
    '/listings',
    sendJson(async () => ({ listings: (await listListings(context)).map(listingJson) })),
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
    response.json(await handle(request, response));
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

/*
 * The JSON of the owner API. Times are ISO 8601 in UTC.
 */

/** The body is null if it was pruned; a duplicate has the body of the delivery that it repeats. */
function deliveryJson(delivery: DeliveryRecord) {
  const { id, receivedAt, family, listing, kind, outcome, reason, userId, credits } = delivery;
  const body = isPruned(delivery) ? null : delivery.body;
  return { id, receivedAt: iso(receivedAt), family, listing, kind, outcome, reason, userId, credits, body };
}

function effectJson({ createdAt, dueAt, finishedAt, ...effect }: EffectRecord) {
  return { ...effect, createdAt: iso(createdAt), dueAt: iso(dueAt), finishedAt: iso(finishedAt) };
}

function effectDetailsJson(effect: EffectRecord) {
  return { ...effectJson(effect), why: explainEffect(effect) };
}

function entryJson(entry: LedgerEntry) {
  return { ...entry, at: iso(entry.at) };
}

function deliveryDetailsJson({ delivery, original, entry, effects, why, timeline }: DeliveryDetails) {
  return {
    ...deliveryJson(delivery),
    why,
    duplicateOf: original,
    entry: entry && entryJson(entry),
    effects: effects.map(effectJson),
    timeline: timeline.map((item) => ({ ...item, at: iso(item.at) })),
  };
}

function memberJson(member: MemberDetails) {
  const { standing, listings, entries, unpaid } = member;
  return {
    userId: standing.userId,
    ...accountJson(member),
    listings: listings.map(voteTimesJson),
    entries: entries.rows.map(entryJson),
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
    streak: { days: streak.days, endsAt: iso(streak.endsAt) },
    grants: grants.map(({ role, until }) => ({ role, until: iso(until) })),
    reminder: marks.reminder !== 0,
    lastVoteAt: iso(last?.lastVoteAt ?? null),
    nextVoteAt: iso(last?.nextVoteAt ?? null),
  };
}

function leaderboardJson({ asOf, ...leaderboard }: LeaderboardDetails) {
  return { ...leaderboard, asOf: iso(asOf) };
}

function listingJson({ held, ...listing }: ListingDetails) {
  return { ...listing, held: held && { ...held, heldAt: iso(held.heldAt) } };
}

function voteTimesJson({ listing, lastVoteAt, nextVoteAt }: VoteTimes) {
  return { listing, lastVoteAt: iso(lastVoteAt), nextVoteAt: iso(nextVoteAt) };
}

function summaryJson({ counts, parts, budgets, lastDelivery }: Summary) {
  return { ...counts, parts, budgets, lastDelivery: lastDelivery && deliveryJson(lastDelivery) };
}

/** @param at ms since the epoch */
function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

interface LeaderboardDetails extends Board, Pick<LeaderboardPage, 'members' | 'total' | 'asOf'> {
  /** How many members this and the earlier pages have: the `before` of the next page. Null on the last page. */
  readonly next: number | null;
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
): Promise<LeaderboardDetails> {
  const { standings } = communities.at(guildId);
  const query = { period, by, limit: page.limit, offset: page.before ?? 0, userId: null };
  const { members, offset, total, asOf } = await standings.leaderboard(query, clock.now());
  const end = offset + members.length;
  return { period, by, members, total, asOf, next: end < total ? end : null };
}

const id = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number')
  .transform(Number);
const userId = z.string('must be 1 to 20 digits').regex(snowflakePattern, 'must be 1 to 20 digits');
/** Names a community; `none` that of listings without a guild. */
const guildId = z.literal(withoutGuild).or(userId);
/** PostgreSQL rejects U+0000 in text. */
const noNul = /^[^\0]*$/;
const noNulRule = 'must not contain U+0000';
const filterText = z
  .string('must be given once')
  .trim()
  .max(100, 'must be at most 100 characters')
  .regex(noNul, noNulRule);

/** Null if the parameter is missing or empty, as in an unused field of the console's filter form. */
function optional<Value extends z.ZodType>(value: Value) {
  return z.preprocess((input) => (input === '' ? undefined : input), value.nullable().default(null));
}

const effectStates = ['waiting', 'done', 'buried'] as const;
const time = z
  .string('must be given once')
  .regex(
    /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/,
    'must be an ISO 8601 date or time, such as 2026-01-31 or 2026-01-31T12:00Z',
  )
  .refine((text) => isOnCalendar(text.slice(0, 10)), 'must be an existing date')
  // Without a time zone it is UTC, like all times that the console and the API show.
  .transform((text) => Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text))
  .refine((at) => !Number.isNaN(at), 'must be an existing date');

function pageFields(defaultLimit: number) {
  const limit = id.refine((count) => count >= 1 && count <= 500, 'must be 1 to 500').default(defaultLimit);
  return { limit: z.preprocess((input) => (input === '' ? undefined : input), limit), before: optional(id) };
}

const defaultLimit = 50;

export const idParameter = z.object({ id });
export const userParameter = z.object({ userId });
/** `limit` is 1 to 500, default 50; `before` is the id of a row, or null. */
const pageQuery = z.strictObject(pageFields(defaultLimit));
/** Missing and empty parameters are null; `since` and `until` become ms since the epoch. */
export const deliveriesQuery = z.strictObject({
  ...pageFields(defaultLimit),
  outcome: optional(z.enum(outcomes, `must be ${outcomes.join(', ')}`)),
  kind: optional(filterText),
  listing: optional(filterText),
  site: optional(z.enum(siteIds, `must be ${siteIds.join(', ')}`)),
  user: optional(userId),
  since: optional(time),
  until: optional(time),
});
export const effectsQuery = z.strictObject({
  ...pageFields(defaultLimit),
  state: optional(z.enum(effectStates, `must be ${effectStates.join(', ')}`)),
});

/** A missing or empty parameter is the default. */
function choice<const Choice extends string>(choices: readonly Choice[], byDefault: NoInfer<Choice>) {
  const value = z.enum(choices, `must be ${choices.join(', ')}`);
  return z.preprocess((input) => (input === '' ? undefined : input), value.default(byDefault));
}
/** {@link pageQuery} of an account; `guildId` is null for the only community. */
export const memberQuery = z.strictObject({ ...pageFields(defaultLimit), guildId: optional(guildId) });
/** `id` is the id or a part of a name, null for none; `from` is how many members to skip. */
export const membersQuery = z.strictObject({
  id: optional(filterText),
  guildId: optional(guildId),
  from: id.default(0),
});
/** `before` is the number of members on the earlier pages, or null; `guildId` as of {@link memberQuery}. */
export const leaderboardQuery = z.strictObject({
  guildId: optional(guildId),
  ...pageFields(defaultLimit),
  period: choice(leaderboardPeriods, 'all'),
  by: choice(leaderboardScores, 'credits'),
});

export const listingParameter = z.object({ listing: filterText });
/** Times become ms since the epoch. */
const reversalRequest = z.strictObject({
  from: time,
  until: time,
  dryRun: z.boolean('must be true or false').default(false),
});

const creditsRule = `must be a whole number from -${maxCorrection} to ${maxCorrection}, and not 0`;
const reasonRule = `must be 1 to ${maxReasonLength} characters`;
export const correctionRequest = z.strictObject({
  /** Missing for the account in the only community. */
  guildId: guildId.optional(),
  credits: z
    .int(creditsRule)
    .min(-maxCorrection, creditsRule)
    .max(maxCorrection, creditsRule)
    .refine((credits) => credits !== 0, creditsRule),
  reason: z
    .string(reasonRule)
    .trim()
    .min(1, reasonRule)
    .max(maxReasonLength, reasonRule)
    .regex(noNul, noNulRule)
    // A lone surrogate is stored differently, so that a repeat would not be recognised.
    .transform((reason) => reason.toWellFormed()),
});
export type CorrectionRequest = z.infer<typeof correctionRequest>;

const idempotencyKey = z.object({
  'Idempotency-Key': z.string().regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters'),
});

/** The `Idempotency-Key` header, or the form field in its place. @throws HttpError 400 */
export function readIdempotencyKey(key: unknown): string {
  return parseRequest(idempotencyKey, { 'Idempotency-Key': key })['Idempotency-Key'];
}

/** @throws HttpError 400, with a sentence that names every invalid field */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? `unknown field ${issue.keys.map((key) => `"${key.slice(0, 50)}"`).join(', ')}`
      : issue.path.length === 0
        ? 'the body must be a JSON object'
        : `"${issue.path.join('.')}" ${issue.message}`,
  );
  throw new HttpError(400, `Invalid request: ${issues.join('; ')}.`);
}
