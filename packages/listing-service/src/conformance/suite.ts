import type { Clock } from '@tallyhook/platform/clock';
import {
  type CheckContext,
  type ConformanceCheck,
  type ConformanceCheckResult,
  type ConformanceKeys,
  chosen,
  createTestClient,
  documented,
  envelopeIssue,
  runCheck,
  statusIssue,
  type TestResponse,
} from './check.ts';
import { documentedEndpoints } from './documented-endpoints.ts';
import { endpointChecks } from './endpoint-checks.ts';
import { limitChecks, limitWindowMs } from './limit-checks.ts';
import { reviewChecks } from './review-checks.ts';
import { voteChecks } from './vote-checks.ts';

export interface SuiteOptions {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly keys: ConformanceKeys;
  readonly votedUser?: string | undefined;
  /** Leaves out the checks of the rate limit, which use up the keys for a minute. */
  readonly skipRateLimit?: boolean;
  /** True to compare also what the document does not define with tallyhook's own service. */
  readonly choices?: boolean;
  readonly clock: Clock;
}

export type ConformanceResult = Pick<ConformanceCheck, 'section' | 'line'> & ConformanceCheckResult;

/** Checks a service against the document. Yields each result as soon as its check is finished. */
export async function* runConformance(options: SuiteOptions): AsyncGenerator<ConformanceResult> {
  const { baseUrl, keys, clock } = options;
  const context = { keys, clock, client: createTestClient(baseUrl.replace(/(?<!\/)\/+$/, '')) };
  const checks = [
    ...documentedEndpoints().flatMap(endpointChecks),
    ...reviewChecks(),
    ...voteChecks(options.votedUser),
    ...unknownPathChecks,
  ];
  const lastChecks = [...(options.skipRateLimit ? [] : limitChecks()), envelopeCheck];
  for (const check of [...checks, ...lastChecks]) {
    if (check.source === 'choice' && !options.choices) continue;
    const run = lastChecks.includes(check) ? runCheck : runWithUnusedKeys;
    yield { section: check.section, line: check.line, ...(await run(check, context)) };
  }
}

/** After a 429, waits and runs the check again: an earlier run may have used up the keys, or the limit is too low. */
async function runWithUnusedKeys(check: ConformanceCheck, context: CheckContext): Promise<ConformanceCheckResult> {
  const { exchanges } = context.client;
  const from = exchanges.length;
  const result = await runCheck(check, context);
  if (!exchanges.slice(from).some(({ response }) => response.status === 429)) return result;
  await context.clock.sleep(limitWindowMs);
  return runCheck(check, context);
}

/** The document leaves the status open (section 7), not the form of a failure. */
const unknownPathChecks = [
  documented('2.1, 7', 'an unknown path returns a failure in the envelope', async (context) => {
    const response = await requestUnknownPath(context);
    return response.status < 400 ? `status ${response.status}` : envelopeIssue(response);
  }),
  chosen('an unknown path returns 404', async (context) => statusIssue(await requestUnknownPath(context), 404)),
];

function requestUnknownPath({ client, keys }: CheckContext): Promise<TestResponse> {
  const key = keys.server ?? keys.bot;
  return client.request('/no-such-endpoint', key === undefined ? {} : { headers: { 'X-API-Key': key } });
}

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
