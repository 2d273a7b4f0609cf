import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import { clientKeyOf } from './client-key.ts';
import { HttpError } from './http-error.ts';
import { createRateLimit } from './rate-limit.ts';

/** Wrong tokens that an address may try in a minute. */
const mostWrong = 10;
/** Wrong tokens that all addresses together may try in a minute: behind some proxies a caller has as many addresses as it likes. */
const mostWrongInAll = 100;
/** Requests that an address may send in a minute, right or wrong. */
const mostRequests = 600;
/** Addresses that are remembered for having had the right token; the first is forgotten first. */
const mostProven = 1_000;
const allAddresses = 'all';

/** Who may come in, for the API and the console alike, so that nobody tries twice as often at two doors. */
export interface Authentication {
  /** Counts a request. @throws Refused 429 */
  pass(address: string): void;
  /** Whether this is the owner's token. It is compared in constant time. @throws Refused 429 after too many wrong ones, right or not */
  knows(given: string, address: string): boolean;
}

/**
 * Counts in memory, for as long as the process lives. When all addresses together have tried too often, the token is taken only from this
 * machine itself and from addresses that had the right one before, so that strangers do not lock the owner out; each of them still has its own limit.
 * @param token the `OWNER_TOKEN`
 */
export function createAuthentication({ token, clock, log }: { token: string; clock: Clock; log: Log }): Authentication {
  const expected = digest(token);
  const requests = createRateLimit({ most: mostRequests, window: minute, clock });
  const failures = createRateLimit({ most: mostWrong, window: minute, clock });
  const failuresInAll = createRateLimit({ most: mostWrongInAll, window: minute, clock });
  const proven = new Set([clientKeyOf('127.0.0.1'), clientKeyOf('::1')]);

  function prove(address: string): void {
    proven.add(address);
    const [, , oldest] = proven;
    if (proven.size > mostProven && oldest !== undefined) proven.delete(oldest);
  }

  function countFailure(address: string): void {
    failures.count(address);
    if (failures.wait(address) > 0) log.warn({ address }, 'an address tried too many wrong owner tokens');
    if (failuresInAll.wait(allAddresses) > 0) return;
    failuresInAll.count(allAddresses);
    if (failuresInAll.wait(allAddresses) > 0) log.warn({ cure: floodCure }, 'many addresses tried wrong owner tokens');
  }

  return {
    pass(address) {
      refuseFor(requests.wait(address), 'These are too many requests.');
      requests.count(address);
    },
    knows(given, address) {
      refuseFor(failures.wait(address), 'Too many wrong tokens came from this address.');
      if (!proven.has(address)) {
        refuseFor(failuresInAll.wait(allAddresses), 'Too many wrong tokens came from other addresses.');
      }
      const isRight = timingSafeEqual(expected, digest(given));
      if (isRight) prove(address);
      else countFailure(address);
      return isRight;
    },
  };
}

const floodCure =
  'Until it ends, sign in from the machine itself or where you were signed in before. Let the proxy overwrite X-Forwarded-For.';

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuseFor(wait: number, what: string): void {
  if (wait <= 0) return;
  const seconds = Math.max(1, Math.ceil(wait / second));
  throw new HttpError(429, `${what} Try again in ${seconds} s.`, seconds);
}
