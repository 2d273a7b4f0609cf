import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { formatCount, minute, second } from '@tallyhook/platform/durations';
import { BodyMemory, memoryRetryAfterSeconds, readBody } from '@tallyhook/platform/http/body';
import { parseJson } from '@tallyhook/platform/json';
import { memoizeOne } from '@tallyhook/platform/memoize';
import type { z } from 'zod';
import type { ServiceContext } from '../context.ts';
import type { Listing } from '../listing/listing.ts';
import type { CountedRequest, CountRequest } from '../rate-limits.ts';
import type { Database } from '../storage/database.ts';
import { updateFacts } from '../storage/listings/listings.ts';
import { createLookups, type Lookups } from '../storage/lookups.ts';
import { digest } from '../storage/secrets.ts';
import { ApiError, requireGet, requirePost, toApiError } from './api-error.ts';
import { type ApiRequest, keyTypeError, operationHandlers } from './handlers.ts';
import type { KeyUsage } from './key-usage.ts';
import { apiBasePath } from './openapi.ts';
import { botStats, type Operation, type OperationName, operations } from './operations.ts';

/** How many requests a key may make (document, section 8). */
export const keyLimit = { limit: 120, windowMs: 1 * minute };
const policy = `"key";q=${keyLimit.limit};w=${keyLimit.windowMs / second}`;

/**
 * The headers with the remaining quota, names and values in turn.
 * @throws ApiError 429 for a rejected request, with `Retry-After`
 */
function rateLimitHeaders({ isAllowed, remaining, resetMs }: CountedRequest): readonly string[] {
  const seconds = Math.max(1, Math.ceil(resetMs / second));
  const limit = `"key";r=${remaining};t=${seconds}`;
  if (isAllowed) return ['RateLimit-Policy', policy, 'RateLimit', limit];
  throw new ApiError(
    429,
    `More than ${keyLimit.limit} requests in a minute. Try again in ${formatCount(seconds, 'second')}.`,
    { 'RateLimit-Policy': policy, RateLimit: limit, 'Retry-After': String(seconds) },
  );
}

export interface LookupApiDependencies extends ServiceContext {
  /** By {@link keyLimit}. */
  readonly countRequest: CountRequest;
  readonly usage: KeyUsage;
  /** The public URL of the service, without a trailing slash. */
  readonly origin: string;
}

/** An operation with the function that validates its parameters and answers. */
interface Route {
  readonly operation: Pick<Operation, 'path' | 'keys'>;
  readonly answer: (request: ApiRequest, segment: string, query: Query, message: IncomingMessage) => Promise<object>;
  /** True for an operation that stores something; its method is POST. */
  readonly isPost?: true;
}

type Query = ReturnType<typeof parseQuery>;

/** The response depends on the key, and a shared cache does not include the header in its cache key. */
const cacheControl = ['Cache-Control', 'private, no-cache'];
const noQuery: Query = {};

/**
 * The lookup API below its base path (document, section 4). Requests are rejected in this order: path, method, key,
 * rate limit, key type, parameters. It is served without Express, whose routing takes longer than the statements.
 * @returns what responds to a request below the base path, and returns false for any other
 */
export function createLookupApi(dependencies: LookupApiDependencies) {
  const { database, clock, countRequest, usage, log, origin } = dependencies;
  const lookups = createLookups(database);
  const memory = new BodyMemory();
  const routes: Readonly<Record<string, Route | undefined>> = Object.assign(Object.create(null), {
    server: routeOf('getServer'),
    bot: routeOf('getBot'),
    votes: routeOf('getVotes'),
    reviews: routeOf('getReviews'),
    [botStats.path]: {
      operation: botStats,
      answer: ({ listing }, _segment, _query, message) => postBotStats(message, listing, { database, memory }),
      isPost: true,
    } satisfies Route,
  });

  async function respond(request: IncomingMessage, response: ServerResponse, path: string, search: string) {
    try {
      const { route, segment } = findRoute(routes, path.slice(apiBasePath.length));
      // The base path is case-sensitive too.
      if (route === undefined || !path.startsWith(apiBasePath)) throw new ApiError(404, 'Unknown endpoint.');
      if (route.isPost) requirePost(request);
      else requireGet(request);
      const query = search === '' ? noQuery : parseQuery(search);
      const { keyId, listing } = await authenticate(lookups, request.headers['x-api-key'] || query['key']);
      const now = clock.now();
      usage.note(keyId, now);
      const limits = rateLimitHeaders(await countRequest(String(keyId)));
      try {
        if (!route.operation.keys.includes(listing.kind)) throw keyTypeError(...route.operation.keys);
        const answer = await route.answer({ lookups, listing, now, origin }, segment, query, request);
        const headers = [...cacheControl, ...limits];
        if (route.isPost) sendJson(response, 200, headers, { success: true, ...answer });
        else sendResource(request, response, headers, answer);
      } catch (thrown) {
        sendFailure(response, thrown, [...cacheControl, ...limits]);
      }
    } catch (thrown) {
      sendFailure(response, thrown, cacheControl);
    }
  }

  function sendFailure(response: ServerResponse, thrown: unknown, headers: readonly string[]): void {
    const error = toApiError(thrown, log);
    const allHeaders = [...headers, ...Object.entries(error.headers).flat()];
    sendJson(response, error.status, allHeaders, { success: false, error: error.message });
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const { path, search } = splitTarget(request.url ?? '');
    if (!isBelowApi(path)) return false;
    void respond(request, response, path, search);
    return true;
  };
}

function routeOf<Name extends OperationName>(name: Name): Route {
  const operation: Operation = operations[name];
  const handle = operationHandlers[name] as (request: ApiRequest, parameters: object) => Promise<object>;
  const [, parameter] = operation.path.split('/:');
  return {
    operation,
    answer(request, segment, query) {
      const inPath = parameter === undefined ? {} : parse(operation.pathParameters, { [parameter]: decode(segment) });
      return handle(request, { ...inPath, ...parse(operation.queryParameters, query) });
    },
  };
}

/** The route for a path relative to the base path, such as `/votes/1`, with or without a slash at the end. */
function findRoute(
  routes: Readonly<Record<string, Route | undefined>>,
  path: string,
): { route: Route | undefined; segment: string } {
  const [, name = '', segment] = /^\/([^/]*)(?:\/([^/]+))?\/?$/.exec(path) ?? [];
  // An endpoint with a path of two segments.
  const below = segment === undefined ? undefined : routes[`/${name}/${segment}`];
  if (below !== undefined) return { route: below, segment: '' };
  const route = routes[name];
  const hasParameter = route?.operation.path.includes('/:') ?? false;
  return { route: hasParameter === (segment !== undefined) ? route : undefined, segment: segment ?? '' };
}

/** Path and query of a request target, which may be an absolute URL (RFC 9112, section 3.2.2). */
function splitTarget(target: string): { path: string; search: string } {
  if (!target.startsWith('/') && URL.canParse(target)) {
    const { pathname, search } = new URL(target);
    return { path: pathname, search: search.slice(1) };
  }
  const at = target.indexOf('?');
  return at === -1 ? { path: target, search: '' } : { path: target.slice(0, at), search: target.slice(at + 1) };
}

/** True if a path is the base path or below, in any case: what is only spelled differently is an unknown endpoint. */
function isBelowApi(path: string): boolean {
  const { length } = apiBasePath;
  if (path.length > length && path[length] !== '/') return false;
  return path.startsWith(apiBasePath) || path.slice(0, length).toLowerCase() === apiBasePath;
}

/** @throws ApiError 400 */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError(400, 'The percent-encoding of the path is invalid.');
  }
}

/** @throws ApiError 400 */
function parse(schema: z.ZodObject, input: unknown): object {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ApiError(
    400,
    issue?.code === 'invalid_type' ? `Send "${issue.path.join('.')}" once.` : (issue?.message ?? ''),
  );
}

/**
 * The id of the API key of a request and the listing that it belongs to (document, section 5).
 * @param key of the header, which is the preferred form, or else of the query; a list if it was sent several times
 * @throws ApiError 401
 */
async function authenticate(lookups: Lookups, key: string | readonly string[] | undefined) {
  if (key === undefined || key === '') {
    throw new ApiError(401, 'The API key is missing. Send it in the header X-API-Key or in the query parameter "key".');
  }
  const caller = typeof key === 'string' ? await lookups.caller(digest(key)) : null;
  if (caller === null) throw new ApiError(401, 'The API key is invalid.');
  return caller;
}

/** @param headers names and values in turn */
function sendJson(response: ServerResponse, status: number, headers: readonly string[], content: object): void {
  const body = JSON.stringify(content);
  send(response, status, headers, { body, length: String(Buffer.byteLength(body)) });
}

interface Representation {
  readonly body: string;
  readonly length: string;
  readonly etag: string;
}

/** Content that is the same object as before is not serialized again. */
const representationOf = memoizeOne((content: object): Representation => {
  const body = JSON.stringify({ success: true, ...content });
  const etag = `W/"${body.length.toString(16)}-${hash('sha1', body, 'base64url')}"`;
  return { body, length: String(Buffer.byteLength(body)), etag };
});

/**
 * Sends 200 in the success envelope with a weak entity tag, or 304 if the client has this content already.
 * @param headers names and values in turn
 * @param content must not be changed afterwards
 */
function sendResource(
  request: IncomingMessage,
  response: ServerResponse,
  headers: readonly string[],
  content: object,
): void {
  const { body, length, etag } = representationOf(content);
  if (isKnown(request, etag)) response.writeHead(304, [...headers, 'ETag', etag]).end();
  else send(response, 200, [...headers, 'ETag', etag], { body, length });
}

function send(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  { body, length }: Pick<Representation, 'body' | 'length'>,
): void {
  response.writeHead(status, [...headers, 'Content-Type', 'application/json; charset=utf-8', 'Content-Length', length]);
  response.end(body);
}

/** True if the client has this content (RFC 9110, section 13.1.2) and does not ask for a new response. */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || headers['cache-control']?.includes('no-cache')) return false;
  if (known === etag || known.trim() === '*') return true;
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag.slice('W/'.length));
}

const maxBytes = 1_024;

/** Stores what a bot says of itself. @throws ApiError 400, 413 or 503 */
export async function postBotStats(
  request: IncomingMessage,
  listing: Listing,
  { database, memory }: { readonly database: Database; readonly memory: BodyMemory },
) {
  const { serverCount, shardCount } = await readStats(request, memory);
  const changes = { servers: serverCount, ...(shardCount !== undefined && { shards: shardCount }) };
  const stored = await database.transaction().execute((sql) => updateFacts(sql, listing.id, 'bot', changes));
  if (stored === null) throw new ApiError(401, 'The API key is invalid.');
  return { data: { serverCount: stored.facts.servers, shardCount: stored.facts.shards } };
}

async function readStats(request: IncomingMessage, memory: BodyMemory) {
  const body = await readBody(request, memory, maxBytes);
  if (body === 'too large') throw new ApiError(413, `The body has more than ${maxBytes} bytes.`);
  if (body === 'no memory') {
    const headers = { 'Retry-After': String(memoryRetryAfterSeconds) };
    throw new ApiError(503, 'Too many unfinished requests. Send this one again.', headers);
  }
  if (typeof body === 'string') throw new ApiError(400, 'The body ended early.');
  body.release();
  const parsed = botStats.body.safeParse(parseJson(body.bytes.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new ApiError(400, parsed.error.issues[0]?.message ?? '');
}
