import { DiscordAPIError, type RawFile, REST, type RequestData } from '@discordjs/rest';
import { type Clock, systemClock, watchClockSteps } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { GuardedRequest, RequestGuard } from './circuits.ts';
import { type GlobalRateLimit, hasRetryAfter, retryDelayOf, retryMarginMs } from './rate-limit.ts';

/** A rate limit up to this length is waited out here (ms); a longer one is left to the caller, for other channels. */
const maxRateLimitWaitMs = 1.5 * second;
/** Discord: "Global Rate Limit". */
export const maxRequestsPerSecond = 50;
/** How long a request may take (ms). With the wait above it is less than the 15 s of an attempt. */
const requestTimeoutMs = 10 * second;

export type { DiscordAPIError };

/**
 * Discord's REST API without a gateway connection. Throws discord.js's errors: DiscordAPIError for an error response,
 * HTTPError for 5xx, RateLimitError for a rate limit of more than 1.5 s or of unknown length, and network errors.
 */
export interface DiscordRest {
  get(route: `/${string}`, query?: URLSearchParams): Promise<unknown>;
  /** Sends a POST. With files, the body is sent beside them as `payload_json`. */
  post(route: `/${string}`, body: object, files?: readonly RawFile[]): Promise<unknown>;
  patch(route: `/${string}`, body: object, files?: readonly RawFile[]): Promise<unknown>;
  /** `reason` is for the audit log. */
  put(route: `/${string}`, reason: string | undefined, body?: unknown): Promise<unknown>;
  delete(route: `/${string}`, reason?: string): Promise<unknown>;
}

export function createDiscordRest(options: {
  token: string;
  /** The address of Discord's API, without the version: `https://discord.com/api`. */
  apiUrl: string;
  /** Default: the system clock, which discord.js uses itself. */
  clock?: Clock;
  globalLimit?: GlobalRateLimit;
  /** The share of this process in the bot's 50 requests per second, read for each request; 50 by default. */
  requestsPerSecond?: () => number;
  /** Counts what Discord rejects, and keeps back what it would reject; its errors are thrown by every method. */
  guard?: Pick<RequestGuard, 'makeRequest' | 'admit' | 'accepted' | 'rejected'> | undefined;
  /** For one request including its body (ms); 10 s by default. */
  timeoutMs?: number;
}): DiscordRest {
  const { token, apiUrl, clock = systemClock, globalLimit, guard } = options;
  const { timeoutMs = requestTimeoutMs } = options;
  const { requestsPerSecond = () => maxRequestsPerSecond } = options;
  const clockStep = watchClockSteps(clock);
  const createRest = () =>
    new REST({
      api: apiUrl,
      version: '10',
      retries: 0,
      timeout: timeoutMs,
      offset: retryMarginMs,
      ...(guard && { makeRequest: guard.makeRequest }),
      rejectOnRateLimit: (limit) => {
        globalLimit?.observe(limit);
        return !hasRetryAfter(limit) || retryDelayOf(limit) > maxRateLimitWaitMs;
      },
    });
  let rest = createRest();

  function authorizedRest(): REST {
    // discord.js stores the end of a rate limit in wall-clock time: after the clock is set back, requests would wait
    // for that step.
    if (clockStep() < 0) rest = createRest();
    rest.options.globalRequestsPerSecond = requestsPerSecond();
    // discord.js drops the token after a 401. Setting it again lets the same token work once Discord accepts it.
    return rest.setToken(token);
  }

  async function send(
    method: GuardedRequest['method'],
    route: `/${string}`,
    request: Omit<RequestData, 'signal'>,
  ): Promise<unknown> {
    const guarded = { method, route, hasFiles: (request.files ?? []).length > 0 };
    guard?.admit(guarded);
    try {
      const response = await authorizedRest()[method](route, {
        ...request,
        signal: AbortSignal.timeout(timeoutMs),
      });
      guard?.accepted(guarded);
      return response;
    } catch (error) {
      throw guard === undefined ? error : guard.rejected(guarded, error);
    }
  }

  return {
    get: (route, query) => send('get', route, { ...(query && { query }) }),
    post: (route, body, files = []) => send('post', route, { body, files: [...files] }),
    patch: (route, body, files = []) => send('patch', route, { body, files: [...files] }),
    put: (route, reason, body) =>
      send('put', route, { ...(reason !== undefined && { reason }), ...(body !== undefined && { body }) }),
    delete: (route, reason) => send('delete', route, { ...(reason !== undefined && { reason }) }),
  };
}

/**
 * True if Discord responds at the moment. Requests what every connection starts with, which changes nothing. An error
 * response below 500 counts as reachable: the attempt that follows handles it.
 */
export function createReachabilityProbe(rest: DiscordRest): () => Promise<boolean> {
  return () =>
    rest.get(Routes.gatewayBot()).then(
      () => true,
      (error: unknown) => error instanceof DiscordAPIError && error.status < 500 && error.status !== 429,
    );
}

/** A field that Discord sends as null or leaves out, with another value in its place. */
export function orElse<Schema extends z.ZodType, Value>(schema: Schema, value: Value) {
  return z.nullish(schema).transform((given): NonNullable<z.output<Schema>> | Value => given ?? value);
}
