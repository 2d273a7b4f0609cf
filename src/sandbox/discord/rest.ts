import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { readRequestBody } from './body.ts';
import type { HttpExchange } from './diagnostics.ts';
import { visibleHeaders, withoutToken } from './diagnostics.ts';
import { DiscordApiError, errorResponse, OAuth2Error } from './errors.ts';
import type { InjectedFault, InjectedFaults } from './faults.ts';
import { defaultLocale, isLocale, type Locale } from './locales.ts';
import { type RateLimits, retryHeaders } from './rate-limits.ts';
import {
  checkIds,
  createRouteMatcher,
  decodePath,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from './route.ts';

interface RestOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  readonly faults: InjectedFaults;
  /** Undefined disables rate limits. */
  readonly limits: RateLimits | undefined;
  readonly clock: Clock;
  /** Real time, for delayed responses. */
  readonly stopwatch: Clock;
  readonly log: Log | undefined;
  readonly onExchange: (exchange: HttpExchange) => void;
}

interface Reply extends RouteResponse {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply, or a connection that is closed without one. */
type Outcome = Reply | 'cut';

/** Handles REST requests; the path excludes `/api/v10`. */
export function createRest(options: RestOptions) {
  const { token, faults, limits, clock, stopwatch, log } = options;
  const find = createRouteMatcher(options.routes);

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const method = request.method ?? 'GET';
    const at = clock.now();
    /** Its requests and responses contain secrets. */
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
      const isOfMember = route.acceptsMember && request.headers.authorization?.startsWith('Bearer ') === true;
      const needsBot = route.needsBot && !isOfMember;
      if (needsBot && request.headers.authorization !== `Bot ${token}`) throw errorResponse.unauthorized();
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
        return { status: 429, body: rateLimitBody(retryAfter, global), headers: rateLimit.headers };
      }
      const locale = requestedLocale(request.headers);
      const { authorization } = request.headers;
      const call = {
        ids,
        query,
        body: content.json,
        files: content.files,
        locale,
        authorization,
      } as RouteRequest<never>;
      const reply = await attempt(() => route.handle(call), log);
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

/** Turns a DiscordApiError into its response, and any other error into a 500. */
async function attempt<Result extends Outcome>(
  action: () => Result | Promise<Result>,
  log: Log | undefined,
): Promise<Result | Reply> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof DiscordApiError || error instanceof OAuth2Error)
      return { status: error.status, body: error.json };
    log?.error({ reason: messageOf(error) }, 'local Discord request failed');
    return { status: 500, body: errorResponse.internal().json };
  }
}

function faultResponse(fault: Exclude<InjectedFault, string>): Reply {
  if (fault.status === 500) return { status: 500, body: errorResponse.internal().json };
  const { retryAfter, global } = fault;
  return { status: 429, body: rateLimitBody(retryAfter, global), headers: retryHeaders(retryAfter, global) };
}

function rateLimitBody(retryAfter: number, global: boolean) {
  return { message: 'You are being rate limited.', retry_after: Math.round(retryAfter * second) / second, global };
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

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
