import { longOutages, parkedRoles, repeatedAchievements } from '../../core/store/snapshots/reward-statistics.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { type Finding, fail, pass, warn } from '../../platform/doctor/finding.ts';
import { formatAgo, formatCount, pluralize } from '../../platform/durations.ts';
import { describeAccount } from '../describe-account.ts';

/** Checks that no achievement was paid twice, and reports roles that cannot be given and outages. @param now ms since the epoch */
export async function checkRewards(snapshot: Snapshot, now: number): Promise<Finding[]> {
  return [
    evaluateAchievements(await repeatedAchievements(snapshot)),
    ...evaluateParked(await parkedRoles(snapshot)),
    ...evaluateOutages(await longOutages(snapshot, now), now),
  ];
}

/** Each achievement must be paid once. */
export function evaluateAchievements({ count, first }: Awaited<ReturnType<typeof repeatedAchievements>>): Finding {
  if (count === 0) return pass('No achievement was paid twice.');
  const named = first.map(
    ({ accountId, achievement, entries }) => `${describeAccount(accountId)} "${achievement}" ${entries} times`,
  );
  return fail(
    `${formatCount(count, 'achievement')} ${pluralize(count, 'was', 'were')} paid more than once: ${named.join('; ')}.`,
    'Report a bug. Correct the accounts in the owner console.',
  );
}

/** Roles that Discord rejected. */
export function evaluateParked(parked: ReadonlyMap<string, number>): Finding[] {
  if (parked.size === 0) return [];
  const total = [...parked.values()].reduce((sum, count) => sum + count, 0);
  const roles = [...parked].map(([role, count]) => `${role} (${formatCount(count, 'member')})`).slice(0, 5);
  return [
    warn(
      `${formatCount(total, 'role')} of members ${pluralize(total, 'is', 'are')} not as they should be, because Discord rejected the change: ${roles.join(', ')}.`,
      "The bot needs Manage Roles, and its own role above these. Each is tried again with the member's next vote.",
    ),
  ];
}

/** Days of an outage do not break streaks. */
export function evaluateOutages(
  { count, last }: { readonly count: number; readonly last: number | null },
  now: number,
): Finding[] {
  if (count === 0 || last === null) return [];
  return [
    warn(
      `Receiving was down for six hours or more ${formatCount(count, 'time')} in the last 30 days, the last until ${formatAgo(last, now)}.`,
      'Streaks of members do not break on these days.',
    ),
  ];
}
