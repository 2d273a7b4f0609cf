import type { Backlog } from '../../core/store/snapshots/statistics.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/finding.ts';
import { day, formatCount, formatDuration, minute, pluralize } from '../../platform/durations.ts';

/** Normal delay of an effect (ms). */
const maxNormalDelayMs = 15 * minute;
/** Longest delay that an outage of Discord explains (ms). */
const maxOutageDelayMs = day;

/** Effects that are pending or have failed, and deliveries in quarantine. @param now ms since the epoch */
export function evaluateBacklog(backlog: Backlog, now: number): Finding[] {
  const { buried, lastReason, quarantined } = backlog;
  const findings = [evaluatePending(backlog, now)];
  if (buried > 0) {
    findings.push(
      warn(
        `${formatCount(buried, 'effect')} failed permanently. Last reason: ${lastReason ?? 'unknown'}`,
        'Announcements, roles and messages are effects; credits are paid without them. See GET /owner/api/effects?state=buried.',
      ),
    );
  }
  if (quarantined > 0) {
    findings.push(
      warn(
        `${formatCount(quarantined, 'delivery', 'deliveries')} ${pluralize(quarantined, 'is', 'are')} in quarantine.`,
        'See GET /owner/api/deliveries?outcome=quarantined. Replay them after an upgrade.',
      ),
    );
  }
  return findings;
}

function evaluatePending({ waiting, waitingSince }: Backlog, now: number): Finding {
  if (waiting === 0 || waitingSince === null) return pass('No effects are pending.');
  const delayMs = now - waitingSince;
  const verb = pluralize(waiting, 'is', 'are');
  const message = `${formatCount(waiting, 'effect')} ${verb} pending, the oldest for ${formatDuration(delayMs)}.`;
  if (delayMs <= maxNormalDelayMs) return pass(message);
  const hint =
    'Check that tallyhook runs and can reach Discord. For reasons, see GET /owner/api/effects?state=waiting.';
  return delayMs > maxOutageDelayMs ? fail(message, hint) : warn(message, hint);
}
