import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { readRequestBody } from './body.ts';
import type { HttpExchange } from './diagnostics.ts';
import { DiscordApiError, errorResponse } from './errors.ts';
import type { InjectedFault, InjectedFaults } from './injected-faults.ts';
import { type RateLimits, retryHeaders } from './rate-limits.ts';
import { visibleHeaders, withoutToken } from './requests.ts';
import { checkIds, decoded, matcher, type Route, type RouteRequest, type RouteResponse } from './route.ts';

interface RestOptions {
  readonly routes: readonly Route[];
  readonly token: string;
  readonly faults: InjectedFaults;
  /** Absent: nothing is limited. */
  readonly limits: RateLimits | undefined;
  readonly clock: Clock;
  /** The time that really passes; a slow answer is slow for the client. */
  readonly stopwatch: Clock;
  readonly log: Log | undefined;
  readonly seen: (exchange: HttpExchange) => void;
}

interface Reply extends RouteResponse {
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply, or a connection that is cut instead of one. */
type Outcome = Reply | 'cut';

/** Answers REST requests; the path comes without `/api/v10`. */
export function createRest(options: RestOptions) {
  const { token, faults, limits, clock, stopwatch, log } = options;
  const find = matcher(options.routes);

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> => {
    const method = request.method ?? 'GET';
    const at = clock.now();
    let body: unknown;

    const answer = async (): Promise<Outcome> => {
      const mishap = faults.take(method, path);
      if (mishap === 'refuse') return 'cut';
      const read = await readRequestBody(request);
      body = read.json;
      if (faults.delay > 0) await stopwatch.sleep(faults.delay);
      if (mishap !== undefined && mishap !== 'lose_answer') return misfortune(mishap);
      const found = find(method, path);
      if (found === undefined) throw errorResponse.notFound();
      if (found === 'other_method') throw errorResponse.methodNotAllowed();
      const { route, ids } = found;
      if (route.needsBot && request.headers.authorization !== `Bot ${token}`) throw errorResponse.unauthorized();
      checkIds(ids);
      const bucket = `${method} ${route.path}`;
      const verdict = limits?.count({
        route: bucket,
        resource: topLevel(ids),
        limit: route.limit,
        global: route.needsBot,
      });
      if (verdict?.refused) {
        const { retryAfter, global } = verdict.refused;
        return { status: 429, body: limitBody(retryAfter, global), headers: verdict.headers };
      }
      const call = { ids, query, body, files: read.files } as RouteRequest<never>;
      const answered = await attempt(() => route.handle(call), log);
      return mishap === 'lose_answer' ? 'cut' : { ...answered, headers: verdict?.headers ?? {} };
    };

    const outcome = await attempt(answer, log);
    const status = outcome === 'cut' ? 0 : outcome.status;
    const asked = { at, method, path: withoutToken(decoded(path)), query: query.toString(), body, status };
    const answered = outcome === 'cut' ? undefined : outcome.body;
    options.seen({ ...asked, headers: visibleHeaders(request.headers), answer: answered });
    if (outcome === 'cut') request.socket.destroy();
    else send(response, outcome);
  };
}

/** What Discord refuses becomes its answer; what we did not foresee becomes a 500. */
async function attempt<Result extends Outcome>(
  action: () => Result | Promise<Result>,
  log: Log | undefined,
): Promise<Result | Reply> {
  try {
    return await action();
  } catch (thrown) {
    if (thrown instanceof DiscordApiError) return { status: thrown.status, body: thrown.json };
    log?.error({ reason: messageOf(thrown) }, 'The local Discord failed.');
    return { status: 500, body: errorResponse.internal().json };
  }
}

function misfortune(mishap: Exclude<InjectedFault, string>): Reply {
  if (mishap.status === 500) return { status: 500, body: errorResponse.internal().json };
  const { retryAfter, global } = mishap;
  return { status: 429, body: limitBody(retryAfter, global), headers: retryHeaders(retryAfter, global) };
}

function limitBody(retryAfter: number, global: boolean) {
  return { message: 'You are being rate limited.', retry_after: Math.round(retryAfter * second) / second, global };
}

/** The resource for which a route's limit is counted apart. Discord: "Rate Limits", top-level resources. */
function topLevel(ids: Readonly<Record<string, string>>): string {
  return ids['channelId'] ?? ids['guildId'] ?? ids['token'] ?? '';
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}
