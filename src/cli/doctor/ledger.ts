import type { BalanceDifference, Differences, OrphanedRows, PaymentDifference } from '../../store/snapshots/audit.ts';
import { type Finding, fail, pass } from './finding.ts';

const rowsByHand = 'Somebody changed or deleted rows by hand. Restore a backup, or report it.';
const keep = 'Make a backup, then look at the entries of these users in the owner API before you correct anything.';

/** Balance = sum of entries, of credits and of votes. */
export function evaluateBalances({ count, first }: Differences<BalanceDifference>): Finding {
  if (count === 0) return pass('Every balance is the sum of its entries, of credits and of votes.');
  const told = first.map(
    ({ userId, balance, entries }) =>
      `${userId} has ${balance.credits} credits and ${balance.votes} votes, the entries say ${entries.credits} and ${entries.votes}`,
  );
  return fail(`${users(count)} not the sum of the entries: ${listed(told, count)}.`, keep);
}

/** Every delivery that paid has its entry. */
export function evaluatePayments({ count, first }: Differences<PaymentDifference>): Finding {
  if (count === 0) return pass('Every delivery that paid has its entry.');
  const told = first.map(
    ({ deliveryId, paid, entered }) => `delivery ${deliveryId} paid ${paid}, the entries say ${entered}`,
  );
  return fail(
    `${count} ${count === 1 ? 'delivery differs' : 'deliveries differ'} from the entries: ${listed(told, count)}.`,
    keep,
  );
}

/** Every history is whole: `broken` links lead past an entry. */
export function evaluateLinks(broken: number): Finding[] {
  if (broken === 0) return [];
  const links = broken === 1 ? '1 link between entries leads' : `${broken} links between entries lead`;
  return [fail(`${links} past one, so that a history is shown with gaps.`, rowsByHand)];
}

/** Rows that point at nothing. */
export function evaluateStrays({ entries, effects, names }: OrphanedRows): Finding[] {
  if (entries + effects + names === 0) return [];
  return [
    fail(
      `Rows point at rows that are gone: ${entries} entries, ${effects} effects, ${names} names of orders.`,
      rowsByHand,
    ),
  ];
}

function users(count: number): string {
  return count === 1 ? 'The balance of 1 user is' : `The balances of ${count} users are`;
}

function listed(told: readonly string[], count: number): string {
  const more = count - told.length;
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
