import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { clientKeyOf } from '@tallyhook/platform/web/client-key';
import { HttpError } from '@tallyhook/platform/web/http-error';
import { equalSecrets } from '@tallyhook/platform/web/session-cookie';

/** All limits are per minute, from a client's first counted request on. */
const windowMs = minute;
/** Requests per client, with a right or wrong token. */
const maxRequests = 600;
/** Sign-ins with Discord per client: each costs requests to Discord. */
const maxSignIns = 30;
/** Wrong tokens per client. */
const maxFailures = 10;
/** Wrong tokens of all clients together: behind some proxies a caller can choose its address. */
const maxFailuresOfAll = 100;
/** Clients that are remembered because they sent the right token; the oldest is forgotten first. */
const maxTrustedClients = 1_000;
/** Clients with a counter; the oldest counter is dropped first. */
const maxCounters = 10_000;
const allClients = 'all';
export const loopbackClients = [clientKeyOf('127.0.0.1'), clientKeyOf('::1')];

export type Authentication = ReturnType<typeof createAuthentication>;

/**
 * Authentication of the owner. The API and the console share one, so that a caller has no second set of attempts. Counts
 * in memory, until the process ends. After too many wrong tokens of all clients together, a token is accepted
 * only from this machine and from clients that have sent the right token before, so that an attack does not lock the
 * owner out. The limit per client still applies.
 * @param options.token the `OWNER_TOKEN`; null to accept none
 */
export function createAuthentication({ token, clock, log }: { token: string | null; clock: Clock; log: Log }) {
  const requests = createRateLimit(maxRequests, clock);
  const signIns = createRateLimit(maxSignIns, clock);
  const failures = createRateLimit(maxFailures, clock);
  const failuresOfAll = createRateLimit(maxFailuresOfAll, clock);
  const trustedClients = new Set<string>();

  function trust(client: string): void {
    trustedClients.add(client);
    const [oldest] = trustedClients;
    if (trustedClients.size > maxTrustedClients && oldest !== undefined) trustedClients.delete(oldest);
  }

  function countFailure(client: string): void {
    failures.count(client);
    if (failures.remainingMs(client) > 0) log.warn({ address: client }, 'too many wrong owner tokens from one address');
    if (failuresOfAll.remainingMs(allClients) > 0) return;
    failuresOfAll.count(allClients);
    if (failuresOfAll.remainingMs(allClients) > 0) {
      log.warn({ hint: attackHint }, 'too many wrong owner tokens from many addresses');
    }
  }

  return {
    /** @param client by `clientKeyOf` @throws HttpError 429 */
    countRequest(client: string): void {
      rejectFor(requests.remainingMs(client), 'Too many requests.');
      requests.count(client);
    },
    /** Counts a return from Discord. @throws HttpError 429 */
    countSignIn(client: string): void {
      rejectFor(signIns.remainingMs(client), 'Too many sign-ins.');
      signIns.count(client);
    },
    /** Compares in constant time. @throws HttpError 429 after too many wrong tokens, even for the right token */
    verifyToken(candidate: string, client: string): boolean {
      rejectFor(failures.remainingMs(client), 'Too many wrong tokens from this address.');
      if (!loopbackClients.includes(client) && !trustedClients.has(client)) {
        rejectFor(failuresOfAll.remainingMs(allClients), 'Too many wrong tokens from other addresses.');
      }
      const isRight = token !== null && equalSecrets(candidate, token);
      if (isRight) trust(client);
      else countFailure(client);
      return isRight;
    },
  };
}

const attackHint =
  'Meanwhile, sign in from this machine or from an address where you signed in before. Let the proxy overwrite X-Forwarded-For.';

function rejectFor(remainingMs: number, reason: string): void {
  if (remainingMs <= 0) return;
  const seconds = Math.max(1, Math.ceil(remainingMs / second));
  throw new HttpError(429, `${reason} Try again in ${seconds} s.`, seconds);
}

// Not express-rate-limit or rate-limiter-flexible: they count in wall-clock time, which jumps when the clock is set.
function createRateLimit(maxCount: number, clock: Clock) {
  const counters = new Map<string, { count: number; readonly endsAt: number }>();

  function counterOf(key: string) {
    const counter = counters.get(key);
    if (counter !== undefined && counter.endsAt > clock.monotonic()) return counter;
    counters.delete(key);
    return undefined;
  }

  return {
    /** How long the limit still applies (ms); 0 below the limit. */
    remainingMs(key: string): number {
      const counter = counterOf(key);
      return counter !== undefined && counter.count >= maxCount ? counter.endsAt - clock.monotonic() : 0;
    },
    count(key: string): void {
      const counter = counterOf(key) ?? { count: 0, endsAt: clock.monotonic() + windowMs };
      counter.count += 1;
      counters.set(key, counter);
      const [oldest] = counters.keys();
      if (counters.size > maxCounters && oldest !== undefined) counters.delete(oldest);
    },
  };
}
