import type { Outbox } from '../../core/outbox/outbox.ts';
import type { RewardStore } from '../../core/tally/reward-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RoleGrants } from './roles.ts';

/**
 * The grants for the role handler, over the store. Failures are reported to the owner's channel of the guild, if there
 * is one.
 */
export function createRoleGrants(options: {
  readonly rewards: RewardStore;
  readonly outbox: Outbox;
  /** The channel for reports to the owner of a guild; null for none. */
  readonly ownerChannelOf: (guildId: string) => string | null;
  readonly clock: Clock;
}): RoleGrants {
  const { rewards, outbox, ownerChannelOf, clock } = options;
  return {
    wantsRole: (userId, role, now) => rewards.isGranted({ userId, role }, now),
    roleSettled: (userId, role, state) => rewards.settleRole({ userId, role }, state, clock.now()),
    isPaidFor: (userId, role) => rewards.isPaidFor({ userId, role }),
    async reportOnce({ guildId, userId, role, cause, reason }) {
      const channelId = ownerChannelOf(guildId);
      // Without a grant, the member was forgotten meanwhile.
      if (channelId === null || !(await rewards.hasGrant({ userId, role }))) return;
      await outbox.enqueueReport(`role ${guildId} ${role} ${cause}`, {
        kind: 'ownerReport',
        queue: channelId,
        content: { channelId, report: { type: 'roleFailed', guildId, userId, role, reason } },
        deliveryId: null,
        createdAt: clock.now(),
      });
    },
  };
}
