import { REST } from 'discord.js';
import { type Clock, systemClock, watchClockSteps } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { GlobalRateLimit } from './global-rate-limit.ts';
import { hasRetryAfter, retryDelayOf, retryMarginMs } from './rate-limit.ts';

/** The longest rate limit that is waited out on the spot (ms); a longer one is the caller's to plan with: other channels have none. */
const patience = 1.5 * second;
/** The longest that one request may take, its body included (ms). With the patience it stays below the 15 s of an attempt. */
const timeout = 10 * second;

/**
 * Discord's REST API by itself, apart from any gateway connection. Throws discord.js's errors: DiscordAPIError for a refusal, HTTPError
 * for 5xx, RateLimitError for a rate limit that is longer than 1.5 s or of unknown length, and whatever the network throws.
 */
export interface DiscordRest {
  get(route: `/${string}`, query?: URLSearchParams): Promise<unknown>;
  post(route: `/${string}`, body: object): Promise<unknown>;
  patch(route: `/${string}`, body: object): Promise<unknown>;
  delete(route: `/${string}`): Promise<unknown>;
}

export function createDiscordRest(options: {
  token: string;
  /** Without the version: `https://discord.com/api`. */
  apiUrl: string;
  /** The machine's own unless given: it is what discord.js goes by. */
  clock?: Clock;
  /** To be told of the rate limits that are met. */
  globalLimit?: GlobalRateLimit;
}): DiscordRest {
  const { token, apiUrl, clock = systemClock, globalLimit } = options;
  const clockStep = watchClockSteps(clock);
  const newRest = () =>
    new REST({
      api: apiUrl,
      version: '10',
      retries: 0,
      timeout,
      offset: retryMarginMs,
      rejectOnRateLimit: (limit) => {
        globalLimit?.observe(limit);
        return !hasRetryAfter(limit) || retryDelayOf(limit) > patience;
      },
    });
  let rest = newRest();

  function authorized(): REST {
    // discord.js keeps by the wall clock when a rate limit ends: set back, it would hold requests up for as long as the step.
    if (clockStep() < 0) rest = newRest();
    // It forgets the token when Discord answers 401 once; a token that is reset and set again works without a restart.
    return rest.setToken(token);
  }

  return {
    get: (route, query) => authorized().get(route, { ...(query && { query }), signal: AbortSignal.timeout(timeout) }),
    post: (route, body) => authorized().post(route, { body, signal: AbortSignal.timeout(timeout) }),
    patch: (route, body) => authorized().patch(route, { body, signal: AbortSignal.timeout(timeout) }),
    delete: (route) => authorized().delete(route, { signal: AbortSignal.timeout(timeout) }),
  };
}
