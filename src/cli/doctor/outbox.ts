import { day, minute } from '../../platform/durations.ts';
import type { Backlog } from '../../store/snapshots/statistics.ts';
import { agoInWords } from './deliveries.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** How long (ms) an announcement waits in the ordinary course of things, and how long a short outage may hold it up. */
const usual = 15 * minute;
const tooLong = day;

/** What is still to be announced, what never will be, and what was not understood; `now` in ms since the epoch. */
export function evaluateBacklog(backlog: Backlog, now: number): Finding[] {
  const { buried, lastReason, quarantined } = backlog;
  return [
    judgeWaiting(backlog, now),
    ...(buried > 0
      ? [
          warn(
            `${counted(buried, 'announcement')} beyond hope. The last reason: ${lastReason ?? 'not known'}`,
            'The credits were paid. See GET /owner/api/effects?state=buried.',
          ),
        ]
      : []),
    ...(quarantined > 0
      ? [
          warn(
            `${counted(quarantined, 'delivery', 'deliveries')} not understood, and kept.`,
            'See GET /owner/api/deliveries?outcome=quarantined; replay them after an upgrade.',
          ),
        ]
      : []),
  ];
}

function judgeWaiting({ waiting, waitingSince }: Backlog, now: number): Finding {
  if (waiting === 0 || waitingSince === null) return pass('No announcement waits.');
  const age = now - waitingSince;
  const found = `${counted(waiting, 'announcement')} waiting, the oldest for ${agoInWords(age)}.`;
  if (age <= usual) return pass(found);
  const cure = 'See that tallyhook runs and reaches Discord; GET /owner/api/effects?state=waiting tells the reasons.';
  return age > tooLong ? fail(found, cure) : warn(found, cure);
}

function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one} is` : `${count} ${many} are`;
}
