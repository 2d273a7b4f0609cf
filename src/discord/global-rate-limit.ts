import type { RateLimitData } from 'discord.js';
import type { Clock } from '../platform/clock.ts';
import { retryDelayOf } from './rate-limit.ts';

/** The rate limit on all requests of the bot. It outlasts the discord.js client that met it. Discord: "Global Rate Limit". */
export interface GlobalRateLimit {
  /** To be told of every rate limit; those of a single route are none of its business. */
  observe(limit: Pick<RateLimitData, 'global' | 'retryAfter' | 'timeToReset'>): void;
  /** How long no request is allowed yet (ms). */
  remainingMs(): number;
}

export function createGlobalRateLimit(clock: Clock): GlobalRateLimit {
  let endsAt = 0;
  return {
    observe(limit) {
      if (limit.global) endsAt = Math.max(endsAt, clock.monotonic() + retryDelayOf(limit));
    },
    remainingMs: () => Math.max(0, endsAt - clock.monotonic()),
  };
}
