import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, minute, second } from '../clock.ts';
import type { Log } from '../log.ts';
import { createRateLimit } from './rate-limit.ts';
import { Refused } from './refused.ts';

/** Wrong tokens that an address may try in a minute. */
const mostWrong = 10;
/** Requests that an address may send in a minute, right or wrong. */
const mostRequests = 600;

/** Who may come in, for the API and the console alike, so that nobody tries twice as often at two doors. */
export interface Gate {
  /** Counts a request. @throws Refused 429 */
  pass(address: string): void;
  /** Whether this is the owner's token. It is compared in constant time. @throws Refused 429 after too many wrong ones, right or not */
  knows(given: string, address: string): boolean;
}

/** Counts in memory, for as long as the process lives. @param token the `OWNER_TOKEN` */
export function createGate({ token, clock, log }: { token: string; clock: Clock; log: Log }): Gate {
  const expected = digest(token);
  const requests = createRateLimit({ most: mostRequests, window: minute, clock });
  const failures = createRateLimit({ most: mostWrong, window: minute, clock });

  return {
    pass(address) {
      refuseFor(requests.wait(address), 'These are too many requests.');
      requests.count(address);
    },
    knows(given, address) {
      refuseFor(failures.wait(address), 'Too many wrong tokens came from this address.');
      if (timingSafeEqual(expected, digest(given))) return true;
      failures.count(address);
      if (failures.wait(address) > 0) log.warn({ address }, 'an address tried too many wrong owner tokens');
      return false;
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuseFor(wait: number, what: string): void {
  if (wait <= 0) return;
  const seconds = Math.max(1, Math.ceil(wait / second));
  throw new Refused(429, `${what} Try again in ${seconds} s.`, seconds);
}
