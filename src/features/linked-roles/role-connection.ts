import { second } from '@tallyhook/platform/durations';
import { memberOf, noCommunity } from '../../core/ledger/account.ts';
import { type EffectKind, fieldsFormat, type NewEffect, newEffect, planKey } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';

/** The marks of an account with linked roles, and of one of which an update waits in the outbox. */
export const linked = 1;
const updating = 2;

/** An update waits this long, so that the votes of some seconds are sent to Discord together (ms). */
const delayMs = 5 * second;

/** Plans an update of a member with linked roles. One that waits suffices: it reads the values later. */
export function planRoleConnection(
  tally: Pick<Tally, 'accountState' | 'saveAccount' | 'enqueue'>,
  { account: { id }, deliveryId, now }: Pick<CountedVote, 'account' | 'deliveryId' | 'now'>,
): void {
  const account = tally.accountState(id);
  const { marks } = account;
  if (marks.role_connection !== linked) return;
  tally.saveAccount({ ...account, marks: { ...marks, role_connection: updating } });
  const userId = memberOf(id);
  const plan = { key: planKey(noCommunity, 'linked roles', userId), dueAt: now + delayMs, userId };
  tally.enqueue({ ...roleConnectionEffect(userId, deliveryId, now), plan });
}

/** Discord limits the updates of each member, whatever the community. */
export function roleConnectionQueue(userId: string): QueueName {
  return queueName('connection', noCommunity, userId);
}

export function roleConnectionEffect(userId: string, deliveryId: number | null, createdAt: number): NewEffect {
  const queue = roleConnectionQueue(userId);
  return newEffect(roleConnectionKind, { queue, content: { userId }, deliveryId, createdAt });
}

export interface RoleConnectionUpdate {
  readonly userId: string;
}

export const roleConnectionKind: EffectKind<'roleConnection', RoleConnectionUpdate> = {
  kind: 'roleConnection',
  ...fieldsFormat<RoleConnectionUpdate>({ userId: ['string'] }),
};
