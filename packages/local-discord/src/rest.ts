import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { readRequestBody, type UploadedFile } from './body.ts';
import { type HttpExchange, visibleHeaders, withoutToken } from './diagnostics.ts';
import type { Timing } from './discord-state.ts';
import { errorResponse, fieldError, ResponseError } from './errors.ts';
import type { Faults, InjectedFault } from './faults.ts';
import { defaultLocale, isLocale, type Locale } from './locales.ts';
import type { RateLimitBucket, RateLimits } from './rate-limits.ts';

/** The names of the ids in a path such as `/channels/:channelId/messages`. */
type IdsIn<Path extends string> = Path extends `${string}:${infer Id}/${infer Rest}`
  ? Id | IdsIn<`/${Rest}`>
  : Path extends `${string}:${infer Id}`
    ? Id
    : never;

/** A parsed request. */
interface RouteRequest<Id extends string = string> {
  readonly ids: Readonly<Record<Id, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
  readonly locale: Locale;
  /** The header. */
  readonly authorization: string | undefined;
}

interface RouteResponse {
  readonly status: number;
  /** JSON; none for a 204. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface RouteOptions {
  /** True if the route needs the bot's token and counts toward its global limit. Interaction callbacks use their own token. */
  readonly needsBot?: boolean;
  /** True if it can also be used with a member's token, which the route itself checks. */
  readonly acceptsMember?: boolean;
  readonly limit?: RateLimitBucket;
  /** Checks the ids in the path. @throws DiscordApiError */
  readonly check?: (ids: Readonly<Record<string, string>>) => void;
}

export interface Route extends RouteOptions {
  readonly method: string;
  readonly path: string;
  readonly handle: (call: RouteRequest<never>) => RouteResponse | Promise<RouteResponse>;
}

/** Declares endpoints with the same options. The handler of each receives exactly the ids in its path. */
export function routeWith(options: RouteOptions) {
  return <const Path extends string>(
    method: string,
    path: Path,
    handle: (call: RouteRequest<IdsIn<Path>>) => RouteResponse | Promise<RouteResponse>,
  ): Route => ({ method, path, handle: handle as Route['handle'], ...options });
}

export const route = routeWith({});

/** Responds with 200 and the JSON. */
export const ok = (body: unknown): RouteResponse => ({ status: 200, body });

/** Responds with 204 after the action. */
export function done(_action?: unknown): RouteResponse {
  return { status: 204 };
}

interface Match {
  readonly route: Route;
  readonly ids: Readonly<Record<string, string>>;
}

/** Finds the endpoint for a request; `other_method` if the path exists for other methods only. */
export function createRouteMatcher(
  routes: readonly Route[],
): (method: string, path: string) => Match | 'other_method' | undefined {
  const patterns = routes.map((each) => ({
    route: each,
    pattern: new RegExp(`^${each.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/?$`),
  }));
  return (method, encodedPath) => {
    // discord.js writes `@me` as `%40me` where it can also be an id.
    const path = encodedPath.replaceAll('%40', '@');
    const candidates = patterns.filter(({ pattern }) => pattern.test(path));
    const match = candidates.find((each) => each.route.method === method);
    if (match === undefined) return candidates.length === 0 ? undefined : 'other_method';
    const encoded = Object.entries(match.pattern.exec(path)?.groups ?? {});
    return { route: match.route, ids: Object.fromEntries(encoded.map(([id, text]) => [id, decodePath(text)])) };
  };
}

/** @throws DiscordApiError if an id in the path is not a snowflake; `@original` is a valid message id, codes are no ids */
function checkIds(ids: Match['ids']): void {
  for (const [name, id] of Object.entries(ids)) {
    if (name === 'token' || name === 'code' || id === '@original' || snowflakePattern.test(id)) continue;
    const field = name.replace('Id', '_id');
    throw fieldError([field], 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
  }
}

/** The percent-decoded text, or the text itself if its encoding is malformed. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface RestOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  readonly faults: Faults;
  /** Undefined disables rate limits. */
  readonly limits: RateLimits | undefined;
  readonly timing: Timing;
  readonly log: Log | undefined;
  readonly onExchange: (exchange: HttpExchange) => void;
}

/** A response, or a connection that is closed without one. */
type Outcome = RouteResponse | 'cut';

/** Handles REST requests; the path excludes `/api/v10`. */
export function createRest(options: RestOptions) {
  const { token, faults, limits, log } = options;
  const { clock, stopwatch } = options.timing;
  const find = createRouteMatcher(options.routes);

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const method = request.method ?? 'GET';
    const at = clock.now();
    /** True if requests and responses of the path contain secrets. */
    const isTokenPath = path.startsWith('/oauth2/token');
    let body: unknown;

    const answer = async (): Promise<Outcome> => {
      const fault = faults.take(method, path);
      if (fault === 'refuse') return 'cut';
      const content = await readRequestBody(request, { acceptsForm: isTokenPath });
      if (!isTokenPath) body = content.json;
      if (faults.responseDelayMs > 0) await stopwatch.sleep(faults.responseDelayMs);
      if (fault !== undefined && fault !== 'lose_answer') return faultResponse(fault);
      const match = find(method, path);
      if (match === undefined) throw errorResponse.notFound();
      if (match === 'other_method') throw errorResponse.methodNotAllowed();
      const { route, ids } = match;
      const { authorization } = request.headers;
      const isOfMember = route.acceptsMember === true && authorization?.startsWith('Bearer ') === true;
      const needsBot = route.needsBot !== false && !isOfMember;
      if (needsBot && authorization !== `Bot ${token}`) throw errorResponse.unauthorized();
      checkIds(ids);
      const bucket = `${method} ${route.path}`;
      const rateLimit = limits?.count({
        route: bucket,
        resource: topLevelResource(ids),
        limit: route.limit,
        global: needsBot,
      });
      if (rateLimit?.exceeded) {
        const { retryAfter, global } = rateLimit.exceeded;
        return tooManyRequests(retryAfter, global, {
          ...rateLimit.headers,
          'Retry-After': String(Math.ceil(retryAfter)),
        });
      }
      const { json, files } = content;
      const call = { ids, query, body: json, files, locale: requestedLocale(request.headers), authorization };
      const reply = await attempt(() => {
        route.check?.(ids);
        return route.handle(call as RouteRequest<never>);
      }, log);
      return fault === 'lose_answer' ? 'cut' : { ...reply, headers: rateLimit?.headers ?? {} };
    };

    const outcome = await attempt(answer, log);
    const status = outcome === 'cut' ? 0 : outcome.status;
    const exchange = { at, method, path: withoutToken(decodePath(path)), query: query.toString(), body, status };
    const responseBody = outcome === 'cut' || isTokenPath ? undefined : outcome.body;
    options.onExchange({ ...exchange, headers: visibleHeaders(request.headers), response: responseBody });
    if (outcome === 'cut') request.socket.destroy();
    else send(response, outcome);
  };
}

/** Turns a ResponseError into its response, and any other error into a 500. */
async function attempt<Result extends Outcome>(
  action: () => Result | Promise<Result>,
  log: Log | undefined,
): Promise<Result | RouteResponse> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof ResponseError) return { status: error.status, body: error.json };
    log?.error({ reason: messageOf(error) }, 'local Discord request failed');
    return { status: 500, body: errorResponse.internal().json };
  }
}

function faultResponse(fault: Exclude<InjectedFault, string>): RouteResponse {
  if (fault.status === 500) return { status: 500, body: errorResponse.internal().json };
  return tooManyRequests(fault.retryAfter, fault.global, { 'Retry-After': String(fault.retryAfter) });
}

/** A 429. @param retryAfter seconds */
function tooManyRequests(retryAfter: number, global: boolean, headers: Record<string, string>): RouteResponse {
  const rounded = Math.round(retryAfter * second) / second;
  return {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: rounded, global },
    headers: {
      ...headers,
      'X-RateLimit-Scope': global ? 'global' : 'user',
      ...(global ? { 'X-RateLimit-Global': 'true' } : {}),
    },
  };
}

/** The locale of a request: the first known one of the header `X-Discord-Locale`, then of `Accept-Language`. */
function requestedLocale(headers: IncomingHttpHeaders): Locale {
  const tags = [headers['x-discord-locale'], ...(headers['accept-language'] ?? '').split(',')].flat();
  const names = tags.map((tag = '') => tag.split(';', 1)[0]?.trim() ?? '');
  return names.find(isLocale) ?? defaultLocale;
}

/** The resource that has its own rate limit bucket. Discord: "Rate Limits", top-level resources. */
function topLevelResource(ids: Readonly<Record<string, string>>): string {
  return ids['channelId'] ?? ids['guildId'] ?? ids['token'] ?? '';
}

function send(response: ServerResponse, { status, body, headers = {} }: RouteResponse): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
