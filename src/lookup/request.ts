import type { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Budget } from './budget.ts';
import type { LogThrottled } from './complaints.ts';
import type { Endpoint } from './endpoints.ts';
import type { ErrorReporter } from './error-reporter.ts';
import type { ObserveLookup } from './events.ts';
import type { FailureCache } from './failure-cache.ts';
import { LookupError, LookupRateLimited, LookupWrongShape } from './failures.ts';
import type { Http } from './http.ts';
import type { CacheEntry } from './ttl.ts';

interface RequesterOptions {
  readonly http: Http;
  readonly budget: Budget;
  readonly holdOff: FailureCache;
  readonly clock: Clock;
  /** How long a request may take from the moment it is counted (ms): the budget's proof rests on it. */
  readonly timeout: number;
  readonly complain: LogThrottled;
  readonly faults: ErrorReporter;
  readonly observe: ObserveLookup;
}

/** Asks an endpoint of the service. Rejects with a LookupFailure. */
export type Requester = <Value>(endpoint: Endpoint<Value>, id: string) => Promise<CacheEntry<Value>>;

/** One question to the service: not while a failure of it holds, not beyond the budget, and every failure is told to the owner. */
export function createRequester(options: RequesterOptions): Requester {
  const { http, budget, holdOff, clock, complain, faults, observe } = options;

  return async (endpoint, id) => {
    const { resource } = endpoint;
    const name = `${resource}:${id}`;
    holdOff.check(name);
    try {
      // The answer may be as old as the question: what happens in between is newer than it.
      const asOf = clock.now();
      const deadline = clock.monotonic() + options.timeout;
      await budget.acquire();
      observe({ event: 'asked', resource });
      const answer = await http.get(endpoint.request(id), deadline);
      const read = endpoint.read(answer, clock.now());
      if (!read.success) throw wrongShape(resource, read.error);
      faults.answered(resource);
      return { value: read.data, asOf };
    } catch (thrown) {
      if (thrown instanceof LookupRateLimited) budget.blockUntil(thrown.retryAt);
      if (thrown instanceof LookupError) {
        holdOff.remember(name, thrown);
        observe({ event: 'failed', resource, code: thrown.code });
        if (!faults.failed(resource, thrown))
          complain('warn', thrown.code, thrown.message, { cure: thrown.hint, resource });
      } else {
        complain('error', 'lookup_broken', `The lookup client failed: ${messageOf(thrown)}`, { resource });
      }
      throw thrown;
    }
  };
}

function wrongShape(resource: string, error: z.ZodError): LookupWrongShape {
  const faults = error.issues.slice(0, 3).map(({ path, message }) => `${path.join('.') || 'data'}: ${message}`);
  return new LookupWrongShape(`The ${resource} are not as documented (${faults.join('; ')}).`.slice(0, 200));
}
