import type { Clock } from '../../platform/clock.ts';
import {
  type CheckVerdict,
  type ConformanceCheck,
  envelopeFault,
  failureFault,
  type Keys,
  requestAs,
  verdictOf,
} from './check.ts';
import { documentedEndpoints } from './documented-endpoints.ts';
import { endpointChecks } from './endpoint-checks.ts';
import { limitChecks } from './limit-checks.ts';
import { openProbe } from './probe.ts';
import { reviewChecks } from './review-checks.ts';
import { voteChecks } from './vote-checks.ts';

export interface SuiteOptions {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly keys: Keys;
  /** Somebody who has voted for the server. */
  readonly votedUser?: string | undefined;
  /** Leaves out the checks of the rate limit, which spend the keys for a minute. */
  readonly skipRateLimit?: boolean;
  readonly clock: Clock;
}

export type ConformanceFinding = Pick<ConformanceCheck, 'section' | 'line'> & CheckVerdict;

/** Holds a service against the document, line by line, in order; each finding is there as soon as it is made. */
export async function* conformance(options: SuiteOptions): AsyncGenerator<ConformanceFinding> {
  const { baseUrl, keys, clock } = options;
  const bench = { keys, clock, probe: openProbe(baseUrl.replace(/(?<!\/)\/+$/, ''), () => clock.monotonic()) };
  const checks = [
    ...documentedEndpoints().flatMap(endpointChecks),
    ...reviewChecks(),
    ...voteChecks(options.votedUser),
    unknownPath,
    ...(options.skipRateLimit ? [] : limitChecks()),
    everyFailure,
  ];
  for (const check of checks) {
    yield { section: check.section, line: check.line, ...(await verdictOf(check, bench)) };
  }
}

const unknownPath: ConformanceCheck = {
  section: 'silent',
  line: 'an unknown path is 404 in the failure envelope',
  from: 'choice',
  see: async (bench) => failureFault(await requestAs(bench, 'server', '/no-such-endpoint'), 404),
};

/** Comes last, and asks nothing: also failures with a status that the document leaves open have its form. */
const everyFailure: ConformanceCheck = {
  section: '2.1, 7',
  line: 'every failure that was seen is JSON in the failure envelope',
  from: 'document',
  see: async ({ probe }) => {
    for (const { method, path, answer } of probe.exchanges) {
      const fault = answer.status < 400 || method === 'HEAD' ? null : envelopeFault(answer);
      if (fault !== null) return `${method} ${path}, status ${answer.status}: ${fault}`;
    }
    return null;
  },
};
