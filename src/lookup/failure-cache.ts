import type { Clock } from '../platform/clock.ts';
import { minute, second } from '../platform/durations.ts';
import type { LookupError } from './failures.ts';

/** After a failure the same answer can be expected for a while, and is given without asking. */
export interface FailureCache {
  /** @throws LookupFailure the last one, while it holds for this question */
  check(question: string): void;
  remember(question: string, failure: LookupError): void;
}

/** How long a failure holds (ms), and for what: the same question, or all that the key could ask. */
export type FailureCacheRule = (failure: LookupError) => { readonly ms: number; readonly everything: boolean };

/**
 * After a refused key nothing is asked for a minute, after any other failure not the same for 5 s. The budget remembers
 * for itself.
 */
export const failureCacheRule: FailureCacheRule = ({ code }) => {
  if (code === 'lookup_key_refused') return { ms: minute, everything: true };
  // The budget itself remembers until when it is closed.
  if (code === 'lookup_over_budget' || code === 'lookup_rate_limited') return { ms: 0, everything: false };
  return { ms: 5 * second, everything: false };
};

/** For one key, in memory. A question is known by its name, such as `votes:123`. */
export function createFailureCache(clock: Clock, rule: FailureCacheRule = failureCacheRule): FailureCache {
  const held = new Map<string, { readonly until: number; readonly failure: LookupError }>();
  const everything = '*';

  return {
    check(question) {
      for (const scope of [everything, question]) {
        const holding = held.get(scope);
        if (holding !== undefined && clock.monotonic() < holding.until) throw holding.failure;
      }
    },
    remember(question, failure) {
      const now = clock.monotonic();
      for (const [scope, { until }] of held) if (until <= now) held.delete(scope);
      const rest = rule(failure);
      if (rest.ms > 0) held.set(rest.everything ? everything : question, { until: now + rest.ms, failure });
    },
  };
}
