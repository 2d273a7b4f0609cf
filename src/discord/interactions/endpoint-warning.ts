import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { DiscordRest } from '../rest.ts';
import { fetchEndpointSettings, findEndpointProblem } from './endpoint-settings.ts';

/** Logs why this process will receive no commands, if Discord sends them elsewhere. Never rejects. */
export async function warnOfEndpoint(
  expected: { readonly publicKey: string | null; readonly url: string | null },
  { rest, log }: { readonly rest: DiscordRest; readonly log: Log },
): Promise<void> {
  try {
    const problem = findEndpointProblem(await fetchEndpointSettings(rest), expected);
    if (problem === null) return;
    const level = problem.level === 'fail' ? 'error' : 'warn';
    log[level]({ reason: problem.problem, hint: problem.hint }, 'commands may not be received');
  } catch (error) {
    log.debug({ reason: messageOf(error) }, 'the endpoint of commands could not be checked');
  }
}
