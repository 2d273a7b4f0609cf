import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { formatAgo, formatCount, pluralize } from '@tallyhook/platform/durations';
import { type AccountId, partsOf } from '../../core/ledger/account.ts';
import {
  type BalanceDifference,
  balanceDifferences,
  brokenLinks,
  type Differences,
  type OrphanedRows,
  orphanedRows,
  type PaymentDifference,
  paymentDifferences,
} from '../../core/store/snapshots/audit.ts';
import type { Snapshot } from '../../core/store/snapshots/snapshot.ts';
import { longOutages, parkedRoles, repeatedAchievements } from '../../core/store/snapshots/statistics.ts';
import { ledgerCheck } from './installation.ts';

/** Whether the ledger adds up. */
export const ledgerSumsCheck = ledgerCheck('ledger', async (snapshot) => [
  evaluateBalances(await balanceDifferences(snapshot)),
  evaluatePayments(await paymentDifferences(snapshot)),
  ...evaluateStrays(await orphanedRows(snapshot)),
  ...evaluateLinks(await brokenLinks(snapshot)),
]);

const editedRowsHint = 'Rows were changed or deleted outside of tallyhook. Restore a backup, or report a bug.';
const differenceHint =
  'Make a backup, then look at the entries of these users in the owner console before you correct anything.';

/** Balances must equal the sum of their entries, in credits and in votes. */
function evaluateBalances({ count, first }: Differences<BalanceDifference>): Finding {
  if (count === 0) return pass('Every balance is the sum of its entries.');
  const users = first.map(
    ({ accountId, balance, entries }) =>
      `${describeAccount(accountId)} has ${formatTotals(balance)}, but the entries add up to ${formatTotals(entries)}`,
  );
  const verb = pluralize(count, 'differs', 'differ');
  const message = `${formatCount(count, 'balance')} ${verb} from the sum of the entries: ${joinFirst(users, count)}.`;
  return fail(message, differenceHint);
}

/** Every delivery that paid credits must have an entry. */
function evaluatePayments({ count, first }: Differences<PaymentDifference>): Finding {
  if (count === 0) return pass('Every rewarded delivery has its entry.');
  const deliveries = first.map(
    ({ deliveryId, paid, entered }) =>
      `delivery ${deliveryId} paid ${formatCount(paid, 'credit')}, but its entries add up to ${entered}`,
  );
  const subject = `${formatCount(count, 'delivery', 'deliveries')} ${pluralize(count, 'differs', 'differ')}`;
  return fail(`${subject} from the entries: ${joinFirst(deliveries, count)}.`, differenceHint);
}

/** @param broken links between the entries of a user that skip an entry */
function evaluateLinks(broken: number): Finding[] {
  if (broken === 0) return [];
  const links = `${formatCount(broken, 'link')} between entries ${pluralize(broken, 'skips', 'skip')} an entry`;
  return [fail(`${links}, so histories are incomplete.`, editedRowsHint)];
}

/** Rows must not refer to missing rows. */
function evaluateStrays({ entries, effects, names }: OrphanedRows): Finding[] {
  if (entries + effects + names === 0) return [];
  const rows = `${formatCount(entries, 'entry', 'entries')}, ${formatCount(effects, 'effect')}, ${formatCount(names, 'order name')}`;
  return [fail(`Rows refer to missing rows: ${rows}.`, editedRowsHint)];
}

function formatTotals({ credits, votes }: BalanceDifference['balance']): string {
  return `${formatCount(credits, 'credit')} and ${formatCount(votes, 'vote')}`;
}

function joinFirst(items: readonly string[], count: number): string {
  const omitted = count - items.length;
  return items.join('; ') + (omitted > 0 ? `; and ${omitted} more` : '');
}

export const rewardsCheck = ledgerCheck('rewards', (snapshot, { status, clock }) =>
  status.state === 'current' ? checkRewards(snapshot, clock.now()) : [],
);

/** Checks that no achievement was paid twice, and reports roles that cannot be given and outages. @param now ms since the epoch */
export async function checkRewards(snapshot: Snapshot, now: number): Promise<Finding[]> {
  return [
    evaluateAchievements(await repeatedAchievements(snapshot)),
    ...evaluateParked(await parkedRoles(snapshot)),
    ...evaluateOutages(await longOutages(snapshot, now), now),
  ];
}

/** Each achievement must be paid once. */
function evaluateAchievements({ count, first }: Awaited<ReturnType<typeof repeatedAchievements>>): Finding {
  if (count === 0) return pass('No achievement was paid twice.');
  const named = first.map(
    ({ accountId, achievement, entries }) => `${describeAccount(accountId)} "${achievement}" ${entries} times`,
  );
  const subject = `${formatCount(count, 'achievement')} ${pluralize(count, 'was', 'were')}`;
  const message = `${subject} paid more than once: ${named.join('; ')}.`;
  return fail(message, 'Report a bug. Correct the accounts in the owner console.');
}

/** Roles that Discord rejected. */
function evaluateParked(parked: ReadonlyMap<string, number>): Finding[] {
  if (parked.size === 0) return [];
  const total = [...parked.values()].reduce((sum, count) => sum + count, 0);
  const roles = [...parked].map(([role, count]) => `${role} (${formatCount(count, 'member')})`).slice(0, 5);
  const subject = `${formatCount(total, 'role')} of members ${pluralize(total, 'is', 'are')}`;
  const message = `${subject} not as they should be, because Discord rejected the change: ${roles.join(', ')}.`;
  const need = 'The bot needs Manage Roles, and its own role above these.';
  return [warn(message, `${need} Each is tried again with the member's next vote.`)];
}

/** Days of an outage do not break streaks. */
function evaluateOutages({ count, last }: Awaited<ReturnType<typeof longOutages>>, now: number): Finding[] {
  if (count === 0 || last === null) return [];
  const times = `${formatCount(count, 'time')} in the last 30 days, the last until ${formatAgo(last, now)}`;
  const message = `Receiving was down for six hours or more ${times}.`;
  return [warn(message, 'Streaks of members do not break on these days.')];
}

/** An account in a sentence. */
function describeAccount(accountId: AccountId): string {
  const { communityId, userId } = partsOf(accountId);
  return `user ${userId} of community ${communityId}`;
}
