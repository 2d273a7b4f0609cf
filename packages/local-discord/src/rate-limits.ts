import { createHash } from 'node:crypto';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';

/** A limit of `count` requests per window. */
export interface RateLimitBucket {
  readonly count: number;
  readonly windowMs: number;
}

/** "All bots can make up to 50 requests per second to our API." Discord: "Global Rate Limit". */
const globalLimit: RateLimitBucket = { count: 50, windowMs: second };

interface RateLimitDecision {
  readonly headers: Readonly<Record<string, string>>;
  /** Set if the request exceeds a limit; `retryAfter` in seconds. */
  readonly exceeded?: { readonly retryAfter: number; readonly global: boolean };
}

interface Window {
  used: number;
  /** Monotonic (ms). */
  resetsAt: number;
}

/**
 * Rate limits per route and top-level resource, and the global rate limit. They use real time, because clients do. Discord: "Rate Limits".
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a request. `route` is the path without its ids, `resource` its top-level resource. */
  count(request: {
    route: string;
    resource: string;
    limit: RateLimitBucket | undefined;
    global: boolean;
  }): RateLimitDecision {
    if (request.global) {
      const globalWindow = this.#use('*', globalLimit);
      if (globalWindow.used > globalLimit.count)
        return { headers: {}, exceeded: { retryAfter: this.#secondsTo(globalWindow), global: true } };
    }
    if (request.limit === undefined) return { headers: {} };
    const window = this.#use(`${request.route} ${request.resource}`, request.limit);
    const resetAfter = this.#secondsTo(window);
    const headers = {
      'X-RateLimit-Limit': String(request.limit.count),
      'X-RateLimit-Remaining': String(Math.max(0, request.limit.count - window.used)),
      'X-RateLimit-Reset': (this.#clock.now() / second + resetAfter).toFixed(3),
      'X-RateLimit-Reset-After': resetAfter.toFixed(3),
      'X-RateLimit-Bucket': createHash('md5').update(request.route).digest('hex'),
    };
    return window.used > request.limit.count
      ? { headers, exceeded: { retryAfter: resetAfter, global: false } }
      : { headers };
  }

  #use(key: string, limit: RateLimitBucket): Window {
    const now = this.#clock.monotonic();
    const current = this.#windows.get(key);
    const window =
      current !== undefined && current.resetsAt > now ? current : { used: 0, resetsAt: now + limit.windowMs };
    window.used += 1;
    this.#windows.set(key, window);
    return window;
  }

  #secondsTo(window: Window): number {
    return Math.max(0.001, (window.resetsAt - this.#clock.monotonic()) / second);
  }
}
