import type {
  BalanceDifference,
  Differences,
  OrphanedRows,
  PaymentDifference,
} from '../../core/store/snapshots/audit.ts';
import { type Finding, fail, pass } from '../../platform/doctor/finding.ts';
import { formatCount, pluralize } from '../../platform/durations.ts';
import { describeAccount } from '../describe-account.ts';

const editedRowsHint = 'Rows were changed or deleted outside of tallyhook. Restore a backup, or report a bug.';
const differenceHint =
  'Make a backup, then look at the entries of these users in the owner console before you correct anything.';

/** Balances must equal the sum of their entries, in credits and in votes. */
export function evaluateBalances({ count, first }: Differences<BalanceDifference>): Finding {
  if (count === 0) return pass('Every balance is the sum of its entries.');
  const users = first.map(
    ({ accountId, balance, entries }) =>
      `${describeAccount(accountId)} has ${formatTotals(balance)}, but the entries add up to ${formatTotals(entries)}`,
  );
  const verb = pluralize(count, 'differs', 'differ');
  return fail(
    `${formatCount(count, 'balance')} ${verb} from the sum of the entries: ${joinFirst(users, count)}.`,
    differenceHint,
  );
}

/** Every delivery that paid credits must have an entry. */
export function evaluatePayments({ count, first }: Differences<PaymentDifference>): Finding {
  if (count === 0) return pass('Every rewarded delivery has its entry.');
  const deliveries = first.map(
    ({ deliveryId, paid, entered }) =>
      `delivery ${deliveryId} paid ${formatCount(paid, 'credit')}, but its entries add up to ${entered}`,
  );
  const subject = `${formatCount(count, 'delivery', 'deliveries')} ${pluralize(count, 'differs', 'differ')}`;
  return fail(`${subject} from the entries: ${joinFirst(deliveries, count)}.`, differenceHint);
}

/** @param broken links between the entries of a user that skip an entry */
export function evaluateLinks(broken: number): Finding[] {
  if (broken === 0) return [];
  const links = `${formatCount(broken, 'link')} between entries ${pluralize(broken, 'skips', 'skip')} an entry`;
  return [fail(`${links}, so histories are incomplete.`, editedRowsHint)];
}

/** Rows must not refer to missing rows. */
export function evaluateStrays({ entries, effects, names }: OrphanedRows): Finding[] {
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
