import {
  type InvalidRequestStore,
  maxInvalidRequests,
  recentInvalidRequests,
  warningInvalidRequests,
} from '../../discord/invalid-requests.ts';
import { type Finding, fail, pass, warn } from '../../doctor/finding.ts';
import { formatCount } from '../../platform/durations.ts';

const hint =
  'Discord blocks an address after 10,000 in ten minutes. Fix what the other checks and the log report: a wrong token, missing permissions, or other bots with this token.';

/** Evaluates how many requests Discord has rejected, of all processes. @param now ms since the epoch */
export async function checkRejectedRequests(store: InvalidRequestStore, now: number): Promise<Finding[]> {
  const count = await recentInvalidRequests(store, now);
  const message = `Discord has rejected ${formatCount(count, 'request')} in the last ten minutes`;
  if (count >= maxInvalidRequests)
    return [fail(`${message}; only interactions are answered until there are fewer.`, hint)];
  if (count >= warningInvalidRequests) return [warn(`${message}.`, hint)];
  return [pass(`${message}.`)];
}
