import type { z } from 'zod';
import type { Clock } from '../clock.ts';
import { messageOf } from '../errors.ts';
import type { Budget } from './budget.ts';
import type { Complain } from './complaints.ts';
import type { Endpoint } from './endpoints.ts';
import { LookupFailure, LookupRateLimited, LookupWrongShape } from './failures.ts';
import type { HoldOff } from './hold-off.ts';
import type { Http } from './http.ts';
import type { Kept } from './lifetimes.ts';
import type { Observe } from './observation.ts';
import type { StandingFaults } from './standing-faults.ts';

interface InquiryOptions {
  readonly http: Http;
  readonly budget: Budget;
  readonly holdOff: HoldOff;
  readonly clock: Clock;
  /** How long a request may take from the moment it is counted (ms): the budget's proof rests on it. */
  readonly timeout: number;
  readonly complain: Complain;
  readonly faults: StandingFaults;
  readonly observe: Observe;
}

/** Asks an endpoint of the service. Rejects with a LookupFailure. */
export type Inquire = <Value>(endpoint: Endpoint<Value>, id: string) => Promise<Kept<Value>>;

/** One question to the service: not while a failure of it holds, not beyond the budget, and every failure is told to the owner. */
export function createInquiry(options: InquiryOptions): Inquire {
  const { http, budget, holdOff, clock, complain, faults, observe } = options;

  return async (endpoint, id) => {
    const { resource } = endpoint;
    const name = `${resource}:${id}`;
    holdOff.check(name);
    try {
      // The answer may be as old as the question: what happens in between is newer than it.
      const asOf = clock.now();
      const deadline = clock.monotonic() + options.timeout;
      await budget.spend();
      observe({ event: 'asked', resource });
      const answer = await http.get(endpoint.question(id), deadline);
      const read = endpoint.read(answer, clock.now());
      if (!read.success) throw wrongShape(resource, read.error);
      faults.answered(resource);
      return { value: read.data, asOf };
    } catch (thrown) {
      if (thrown instanceof LookupRateLimited) budget.close(thrown.retryAt);
      if (thrown instanceof LookupFailure) {
        holdOff.remember(name, thrown);
        observe({ event: 'failed', resource, code: thrown.code });
        if (!faults.failed(resource, thrown))
          complain('warn', thrown.code, thrown.message, { cure: thrown.cure, resource });
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
