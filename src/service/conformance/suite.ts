import type { Clock } from '../../platform/clock.ts';
import {
  type ConformanceCheck,
  type ConformanceCheckResult,
  type ConformanceKeys,
  chosen,
  createTestClient,
  documented,
  envelopeIssue,
  failureIssue,
  requestWithKey,
  runCheck,
} from './check.ts';
import { documentedEndpoints } from './documented-endpoints.ts';
import { endpointChecks } from './endpoint-checks.ts';
import { limitChecks } from './limit-checks.ts';
import { reviewChecks } from './review-checks.ts';
import { voteChecks } from './vote-checks.ts';

export interface SuiteOptions {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly keys: ConformanceKeys;
  /** The id of a user who has voted for the server. */
  readonly votedUser?: string | undefined;
  /** Leaves out the checks of the rate limit, which use up the keys for a minute. */
  readonly skipRateLimit?: boolean;
  readonly clock: Clock;
}

export type ConformanceResult = Pick<ConformanceCheck, 'section' | 'line'> & ConformanceCheckResult;

/** Checks a service against the document. Yields each result as soon as its check is finished. */
export async function* runConformance(options: SuiteOptions): AsyncGenerator<ConformanceResult> {
  const { baseUrl, keys, clock } = options;
  const client = createTestClient(baseUrl.replace(/(?<!\/)\/+$/, ''), () => clock.monotonic());
  const checks = [
    ...documentedEndpoints().flatMap(endpointChecks),
    ...reviewChecks(),
    ...voteChecks(options.votedUser),
    unknownPathCheck,
    ...(options.skipRateLimit ? [] : limitChecks()),
    envelopeCheck,
  ];
  for (const check of checks) {
    yield { section: check.section, line: check.line, ...(await runCheck(check, { keys, clock, client })) };
  }
}

const unknownPathCheck = chosen('an unknown path returns 404 in the failure envelope', async (context) =>
  failureIssue(await requestWithKey(context, 'server', '/no-such-endpoint'), 404),
);

/**
 * Runs last and sends no request. Failures with a status that the document does not define must have the envelope too.
 */
const envelopeCheck = documented(
  '2.1, 7',
  'every failure in this run is JSON in the failure envelope',
  async ({ client }) => {
    for (const { method, path, response } of client.exchanges) {
      const issue = response.status < 400 || method === 'HEAD' ? null : envelopeIssue(response);
      if (issue !== null) return `${method} ${path}, status ${response.status}: ${issue}`;
    }
    return null;
  },
);
