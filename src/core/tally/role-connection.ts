import { second } from '../../platform/durations.ts';
import { type AccountId, memberOf } from '../ledger/account-id.ts';
import type { NewEffect } from '../outbox/outbox.ts';
import type { Tally } from './tally.ts';

/** An update waits this long, so that the votes of some seconds are sent to Discord together (ms). */
const delayMs = 5 * second;

/**
 * Plans an update of what Discord knows of a member with linked roles. One that waits suffices, because it reads the
 * values when it is carried out. For all other members it does nothing.
 * @param now the current time (ms since the epoch)
 */
export function planRoleConnection(
  tally: Pick<Tally, 'accountState' | 'saveAccount' | 'enqueue'>,
  accountId: AccountId,
  { deliveryId, now }: { readonly deliveryId: number | null; readonly now: number },
): void {
  const account = tally.accountState(accountId);
  if (account.roleConnection !== 'linked') return;
  tally.saveAccount({ ...account, roleConnection: 'updating' });
  tally.enqueue({ ...roleConnectionEffect(memberOf(accountId), deliveryId, now), dueAt: now + delayMs });
}

/** The effect that updates what Discord knows of a member with linked roles. */
export function roleConnectionEffect(
  userId: string,
  deliveryId: number | null,
  createdAt: number,
): NewEffect<'roleConnection'> {
  return { kind: 'roleConnection', queue: roleConnectionQueue(userId), content: { userId }, deliveryId, createdAt };
}

/** Discord limits the updates of each member. */
export function roleConnectionQueue(userId: string): string {
  return `link ${userId}`;
}
