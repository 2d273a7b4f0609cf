import { isoTime } from '@tallyhook/platform/durations';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { type PageRequest, paginate } from '@tallyhook/platform/web/pagination';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { EffectRecord } from '../core/records/records.ts';
import type { ListedEndpoint } from '../features/events/feature.ts';
import { maxTokens, type TokenScope } from '../features/tokens/store.ts';
import { explainDelivery, explainEffect, getDelivery } from '../features/traces/delivery-details.ts';
import * as json from './api-schemas.ts';
import { changeSettings, readSettings } from './api-settings.ts';
import type { Caller, OwnerContext } from './context.ts';
import { searchMembers } from './names.ts';
import {
  correct,
  decideAlarm,
  decisions,
  findEffect,
  fulfilPurchase,
  getLeaderboard,
  getMember,
  getSummary,
  listDeliveries,
  listListings,
  type MemberDetails,
  replayDelivery,
  replayEffect,
  reverseVotes,
  richest,
} from './queries.ts';
import {
  accountQuery,
  communityQuery,
  correctionRequest,
  deliveriesQuery,
  effectsQuery,
  endpointParameter,
  eventsQuery,
  idParameter,
  leaderboardQuery,
  listingParameter,
  memberListQuery,
  parseRequest,
  purchasesQuery,
  readIdempotencyKey,
  reversalRequest,
  settingsRequest,
  tokenRequest,
  userParameter,
} from './request-schemas.ts';
import { contextOf } from './scope-context.ts';

/** A request as it was received. */
export interface RouteRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
}

/** A route of the API: the router answers it, and the document describes it. */
export interface Route extends RouteSpec {
  /** @throws HttpError */
  readonly answer: (request: RouteRequest, caller: Caller) => Promise<object>;
}

/** A route whose answer does not end: server-sent events. */
export interface StreamRoute extends Omit<RouteSpec, 'response'> {
  /** @param mayContinue false if the token of the reader is valid no longer */
  readonly stream: (
    request: Request,
    response: Response,
    caller: Caller,
    mayContinue: () => Promise<boolean>,
  ) => Promise<void>;
}

interface RouteSpec<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** The path as Express takes it: `/users/:userId`. */
  readonly path: string;
  readonly scope: TokenScope;
  /** The group that it is shown in. */
  readonly tag: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** True if it takes the header `Idempotency-Key`. */
  readonly isIdempotent?: true;
  readonly response: Answer;
  /** True if it may answer 201, see {@link Created}. */
  readonly creates?: true;
  /** When it answers 409. */
  readonly conflict?: string;
}

type Schema = z.ZodObject | undefined;
type Parsed<Of extends Schema> = Of extends z.ZodObject ? z.output<Of> : undefined;

interface RouteInput<Params extends Schema, Query extends Schema, Body extends Schema> {
  readonly params: Parsed<Params>;
  readonly query: Parsed<Query>;
  readonly body: Parsed<Body>;
  readonly idempotencyKey: string | null;
}

type DeepReadonly<Value> = Value extends readonly (infer Element)[]
  ? readonly DeepReadonly<Element>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

/** An answer with the status 201. */
export class Created<Body extends object = object> {
  readonly body: Body;

  constructor(body: Body) {
    this.body = body;
  }
}

/** Declares a route. The types of what it reads and answers are those of its schemas. */
function route<
  Answer extends z.ZodType,
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(
  spec: RouteSpec<Params, Query, Body, Answer>,
  handle: (
    input: RouteInput<Params, Query, Body>,
    caller: Caller,
  ) => Promise<DeepReadonly<z.input<Answer>> | Created<DeepReadonly<z.input<Answer>> & object>>,
): Route {
  const parse = <Of extends Schema>(schema: Of | undefined, value: unknown) =>
    (schema === undefined ? undefined : parseRequest(schema, value)) as Parsed<Of>;
  return {
    ...spec,
    async answer({ params, query, body, idempotencyKey: key }, caller) {
      const input = {
        query: parse(spec.query, query),
        params: parse(spec.params, params),
        body: parse(spec.body, body),
        idempotencyKey: spec.isIdempotent === undefined || key === undefined ? null : readIdempotencyKey(key),
      };
      const result = await handle(input, caller);
      // What is sent is what the schema makes of it: its times, and nothing that it does not name.
      if (result instanceof Created) return new Created(spec.response.parse(result.body) as object);
      return spec.response.parse(result) as object;
    },
  };
}

const records: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/summary', scope: 'read', tag: 'Votes' },
      summary: 'Counts, the state of each component, remaining lookup budgets and the last delivery',
      response: json.summary,
    },
    async (_input, { context }) => getSummary(context),
  ),
  route(
    {
      ...{ method: 'get', path: '/deliveries', scope: 'read', tag: 'Votes' },
      summary: 'Deliveries with their bodies and outcomes, newest first',
      query: deliveriesQuery,
      response: json.deliveryPage,
    },
    async ({ query }, { context }) => {
      const { rows, next } = await listDeliveries(context, query);
      return { deliveries: rows, next };
    },
  ),
  route(
    {
      ...{ method: 'get', path: '/deliveries/:id', scope: 'read', tag: 'Votes' },
      summary: 'A delivery with its reason, entry, effects, the delivery that it repeats, and a timeline',
      params: idParameter,
      response: json.deliveryDetails,
    },
    async ({ params }, { context }) => {
      const { delivery, original, ...details } = await getDelivery(context, params.id);
      return { ...delivery, duplicateOf: original, ...details };
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/deliveries/:id/replay', scope: 'write', tag: 'Votes' },
      summary: 'Process a quarantined delivery again, or pay a refused vote',
      params: idParameter,
      response: json.replayResult,
    },
    async ({ params }, { context, author }) => replayDelivery(context, params.id, author),
  ),
  route(
    {
      ...{ method: 'get', path: '/effects', scope: 'read', tag: 'Effects' },
      summary: 'Effects (announcements, roles, messages), newest first',
      query: effectsQuery,
      response: json.effectPage,
    },
    async ({ query }, { context }) => {
      const { rows, next } = await paginate(query, context.records.effects);
      return { effects: rows, next };
    },
  ),
  route(
    {
      ...{ method: 'get', path: '/effects/:id', scope: 'read', tag: 'Effects' },
      summary: 'An effect with an explanation',
      params: idParameter,
      response: json.effectDetails,
    },
    async ({ params }, { context }) => explained(await findEffect(context, params.id)),
  ),
  route(
    {
      ...{ method: 'post', path: '/effects/:id/replay', scope: 'write', tag: 'Effects' },
      summary: 'Queue a buried effect again',
      ...{ params: idParameter, response: json.effectDetails, conflict: 'The effect is not buried.' },
    },
    async ({ params }, { context, author }) => explained(await replayEffect(context, params.id, author)),
  ),
  route(
    {
      ...{ method: 'get', path: '/listings', scope: 'read', tag: 'Listings' },
      summary: 'Listings, how far their votes can be trusted, and votes that are held',
      response: json.listingList,
    },
    async (_input, { context }) => ({ listings: await listListings(context) }),
  ),
  ...decisions.map((decision) =>
    route(
      {
        ...{ method: 'post', path: `/listings/:listing/${decision}`, scope: 'write', tag: 'Listings' },
        summary: `Have the held votes of a listing ${decision === 'release' ? 'paid' : 'rejected'}`,
        ...{ params: listingParameter, response: json.decisionResult, conflict: 'No votes of the listing are held.' },
      },
      ({ params }, { context }) => decideAlarm(context, params.listing, decision),
    ),
  ),
  route(
    {
      ...{ method: 'post', path: '/listings/:listing/reversals', scope: 'write', tag: 'Listings' },
      summary: 'Take back what the votes of a listing between two times have earned',
      ...{ params: listingParameter, body: reversalRequest, response: json.reversalResult },
    },
    async ({ params: { listing }, body: { dryRun, ...range } }, { context }) =>
      reverseVotes(context, { listing, ...range }, dryRun),
  ),
];

const members: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/members', scope: 'read', tag: 'Members' },
      summary: 'Members with credits by their rank, or those whose id or name is searched',
      ...{ query: memberListQuery, response: json.memberPage },
    },
    async ({ query: { guildId, search, ...page } }, { context }) => {
      const { guildId: guild } = context.communities.at(guildId);
      const found =
        search === null ? await richestMembers(context, guildId, page) : await findMembers(context, guildId, search);
      return { guildId: guild, ...found };
    },
  ),
  route(
    {
      ...{ method: 'get', path: '/users/:userId', scope: 'read', tag: 'Members' },
      summary: 'The account of a member with its entries; zeros for one who is not known',
      ...{ params: userParameter, query: accountQuery, response: json.member },
    },
    async ({ params, query: { guildId, ...page } }, { context }) =>
      memberJson(await getMember(context, params.userId, page, context.communities.at(guildId))),
  ),
  route(
    {
      ...{ method: 'post', path: '/users/:userId/corrections', scope: 'write', tag: 'Members' },
      summary: 'Award or take credits: adds an entry',
      ...{ params: userParameter, body: correctionRequest, isIdempotent: true, creates: true },
      response: json.correctionResult,
      conflict: 'The balance would be negative, or the Idempotency-Key was used for another correction.',
    },
    async ({ params: { userId }, body: { guildId, ...amount }, idempotencyKey }, { context, author }) => {
      const correction = { ...amount, ...(guildId !== undefined && { guildId }) };
      const by = { idempotencyKey, author };
      const { balance, repeated, at } = await correct(context, userId, correction, by);
      const result = { userId, credits: balance, repeated };
      return repeated ? { ...result, correction } : new Created({ ...result, correction: { ...correction, at } });
    },
  ),
  route(
    {
      ...{ method: 'get', path: '/leaderboard', scope: 'read', tag: 'Members' },
      summary: 'Members by votes, credits or streak',
      ...{ query: leaderboardQuery, response: json.leaderboard },
    },
    async ({ query: { guildId, ...query } }, { context: { communities, clock } }) =>
      getLeaderboard(communities.at(guildId), query, clock.now()),
  ),
];

const shop: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/purchases', scope: 'read', tag: 'Shop' },
      summary: 'Purchases, newest first, without codes',
      ...{ query: purchasesQuery, response: json.purchasePage },
    },
    async ({ query: { guildId, ...query } }, { context }) => {
      const { id } = context.communities.at(guildId);
      const { rows, next } = await paginate(query, (page) => context.purchases.list(id, page));
      return { purchases: rows, next };
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/purchases/:id/done', scope: 'write', tag: 'Shop' },
      summary: 'Mark a purchase as done that the team of the community fulfils',
      ...{ params: idParameter, query: communityQuery, response: json.purchase },
      conflict: 'The purchase was refunded, or the team does not fulfil it.',
    },
    async ({ params, query: { guildId } }, { context, author }) =>
      fulfilPurchase(context, params.id, { guildId, author }),
  ),
];

const settings: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/settings', scope: 'settings', tag: 'Settings' },
      summary: 'The settings in effect with their version and sources, without secrets',
      ...{ query: communityQuery, response: json.settingsJson },
    },
    async ({ query }, { context }) => readSettings(context, query.guildId),
  ),
  route(
    {
      ...{ method: 'patch', path: '/settings', scope: 'settings', tag: 'Settings' },
      summary: 'Change settings as /setup does, all or none of the changes',
      ...{ query: communityQuery, body: settingsRequest, response: json.settingsJson },
      conflict: 'The version is not the newest one.',
    },
    async ({ query, body }, caller) => changeSettings(caller, query.guildId, body),
  ),
];

const tokens: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/tokens', scope: 'settings', tag: 'Tokens' },
      summary: 'The tokens of the community, newest first, without the tokens themselves',
      ...{ query: communityQuery, response: json.tokenList },
    },
    async ({ query }, { context }) => {
      const { id } = context.communities.at(query.guildId);
      return { tokens: await context.tokens.list(id) };
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/tokens', scope: 'settings', tag: 'Tokens' },
      summary: 'Create a token; one that a token creates allows no more, and ends no later',
      ...{ query: communityQuery, body: tokenRequest, creates: true, response: json.newToken },
      conflict: `The community has ${maxTokens} valid tokens.`,
    },
    async ({ query, body }, caller) => new Created(await createToken(caller, query.guildId, body)),
  ),
  route(
    {
      ...{ method: 'delete', path: '/tokens/:id', scope: 'settings', tag: 'Tokens' },
      summary: 'Revoke a token at once',
      ...{ params: idParameter, query: communityQuery, response: json.token },
    },
    async ({ params, query }, { context, author }) => {
      const { id } = context.communities.at(query.guildId);
      const revoked = await context.tokens.revoke(id, params.id, author);
      if (revoked === null) throw new HttpError(404, `There is no token ${params.id}, or it was revoked.`);
      return revoked;
    },
  ),
];

const webhooks: readonly Route[] = [
  route(
    {
      ...{ method: 'get', path: '/webhooks', scope: 'read', tag: 'Events' },
      summary: 'The addresses that hear of events, and which of them fail',
      ...{ query: communityQuery, response: json.webhookList },
    },
    async ({ query }, { context }) => {
      const listed = await context.endpoints.list(context.communities.at(query.guildId).guildId);
      return { webhooks: listed.map(endpointJson) };
    },
  ),
  route(
    {
      ...{ method: 'get', path: '/webhooks/:endpoint/attempts', scope: 'read', tag: 'Events' },
      summary: 'The newest 50 requests to an address, newest first',
      ...{ params: endpointParameter, query: communityQuery, response: json.webhookAttempts },
    },
    async ({ params, query }, { context }) => {
      const found = await context.endpoints.attempts(guildOf(context, query), params.endpoint, 50);
      return found ?? noEndpoint();
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/webhooks/:endpoint/test', scope: 'settings', tag: 'Events' },
      summary: 'Send a test to an address, once',
      ...{ params: endpointParameter, query: communityQuery, response: json.webhookTest },
    },
    async ({ params, query }, { context }) => {
      const result = (await context.endpoints.test(guildOf(context, query), params.endpoint)) ?? noEndpoint();
      if (result.status === 'tooMany') throw new HttpError(429, 'Too many tests. Try again in a minute.', 60);
      return { status: result.status, attempt: 'attempt' in result ? result.attempt : null };
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/webhooks/:endpoint/resume', scope: 'settings', tag: 'Events' },
      summary: 'Have a paused address tried again',
      ...{ params: endpointParameter, query: communityQuery, response: json.webhookResumed },
    },
    async ({ params: { endpoint }, query }, { context }) => {
      if ((await context.endpoints.resume(guildOf(context, query), endpoint)) === null) noEndpoint();
      return { id: endpoint };
    },
  ),
  route(
    {
      ...{ method: 'post', path: '/webhooks/:endpoint/resend', scope: 'write', tag: 'Events' },
      summary: 'Have sent again what has failed for good',
      ...{ params: endpointParameter, query: communityQuery, response: json.webhookResent },
    },
    async ({ params: { endpoint }, query }, { context }) => {
      const sent = await context.endpoints.resend(guildOf(context, query), endpoint);
      return { id: endpoint, events: sent ?? noEndpoint() };
    },
  ),
];

function guildOf({ communities }: OwnerContext, { guildId }: { readonly guildId: string | null }): string | null {
  return communities.at(guildId).guildId;
}

/** Throws for an endpoint that is missing, or that is of another community. @throws HttpError 404 */
function noEndpoint(): never {
  throw new HttpError(404, 'There is no such address for events.');
}

function endpointJson({ failure, ...endpoint }: ListedEndpoint) {
  return {
    ...endpoint,
    state: failure === null ? 'ok' : failure.pausedAt === null ? 'failing' : 'paused',
    failingSince: failure?.failingSince ?? null,
    pausedAt: failure?.pausedAt ?? null,
    reason: failure?.reason ?? null,
  } as const;
}

const events: StreamRoute = {
  ...{ method: 'get', path: '/events', scope: 'read', tag: 'Events' },
  summary: 'A stream of events as they happen (server-sent events); `Last-Event-ID` continues it',
  query: eventsQuery,
  stream: (request, response, { context }, mayContinue) =>
    context.stream.send(request, response, { communityId: context.scope?.communityId ?? null, mayContinue }),
};

/** All routes, in the order in which they are shown. */
export const routes: readonly (Route | StreamRoute)[] = [
  ...records,
  ...members,
  ...shop,
  events,
  ...webhooks,
  ...settings,
  ...tokens,
];

/** @throws HttpError 403 without the scope */
export function requireScope({ token }: Pick<Caller, 'token'>, scope: TokenScope): void {
  if (token === null || token.scopes.includes(scope)) return;
  throw new HttpError(403, `This token lacks the scope "${scope}".`, null, 'missing_scope');
}

async function createToken(caller: Caller, guildId: string | null, request: z.output<typeof tokenRequest>) {
  const { context, token, author } = caller;
  const { name, scopes, expiresAt } = request;
  const { id: communityId } = context.communities.at(guildId);
  for (const scope of scopes) requireScope(caller, scope);
  if (expiresAt !== null && expiresAt <= context.clock.now())
    throw new HttpError(400, 'Invalid request: "expiresAt" must be in the future.');
  const latest = token?.expiresAt ?? null;
  if (latest !== null && (expiresAt === null || expiresAt > latest))
    throw new HttpError(403, `This token ends ${isoTime(latest)}, and creates none that ends later.`);
  // The manager answers for what a program creates.
  const createdBy = token?.createdBy ?? author;
  const created = await context.tokens.create({ communityId, name, scopes, expiresAt, createdBy });
  if (created === null) {
    throw new HttpError(409, `The community has ${maxTokens} valid tokens. Revoke one first.`, null, 'too_many_tokens');
  }
  return { ...created, token: created.secret };
}

async function richestMembers({ communities, clock }: OwnerContext, guildId: string | null, page: PageRequest) {
  const {
    members: ranked,
    total,
    next,
  } = await getLeaderboard(communities.at(guildId), { ...richest, ...page }, clock.now());
  return { members: ranked.map(({ score, ...member }) => ({ ...member, name: null, credits: score })), total, next };
}

async function findMembers(context: OwnerContext, guildId: string | null, search: string) {
  const { standings } = context.communities.at(guildId);
  const found = isSnowflake(search)
    ? new Map([[search, null]])
    : await searchMembers(contextOf(context, guildId), search);
  const accounts = [...found].map(async ([userId, name]) => {
    const { credits, rank } = await standings.summary(userId, context.clock.now());
    return { userId, name, credits, rank };
  });
  return { members: await Promise.all(accounts), total: found.size, next: null };
}

function explained(effect: EffectRecord) {
  return { ...effect, why: explainEffect(effect) };
}

function memberJson({ guildId, standing, marks, last, listings, entries, unpaid }: MemberDetails) {
  return {
    ...standing,
    guildId,
    reminder: marks.reminder !== 0,
    lastVoteAt: last?.lastVoteAt ?? null,
    nextVoteAt: last?.nextVoteAt ?? null,
    listings,
    entries: entries.rows,
    next: entries.next,
    unpaid: unpaid.map((delivery) => ({ ...delivery, why: explainDelivery(delivery) })),
  };
}
