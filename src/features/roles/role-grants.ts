import type { Outbox } from '../../core/outbox/outbox.ts';
import type { GrantedRole } from '../../core/rewards/grant.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RoleGrants } from './roles.ts';
import type { RoleStore } from './store.ts';

/**
 * The grants for the role handler, over the store. Failures are reported to the owner's channel of the guild, if there
 * is one.
 */
export function createRoleGrants(options: {
  readonly roles: RoleStore;
  /** Whether the member has paid for the role, and waits for it. */
  readonly isPaidFor: (role: GrantedRole) => Promise<boolean>;
  readonly outbox: Outbox;
  /** The channel for reports to the owner of a guild; null for none. */
  readonly ownerChannelOf: (guildId: string) => string | null;
  readonly clock: Clock;
}): RoleGrants {
  const { roles, isPaidFor, outbox, ownerChannelOf, clock } = options;
  return {
    wantsRole: (userId, role, now) => roles.isGranted({ userId, role }, now),
    roleSettled: (userId, role, state) => roles.settleRole({ userId, role }, state, clock.now()),
    isPaidFor: (userId, role) => isPaidFor({ userId, role }),
    async reportOnce({ guildId, userId, role, cause, reason }, isWanted) {
      const channelId = ownerChannelOf(guildId);
      // Without a grant, the member was forgotten meanwhile.
      if (channelId === null || !(await roles.hasGrant({ userId, role }))) return;
      const failed = { type: 'roleFailed', guildId, userId, role, cause, reason } as const;
      const report = isWanted ? failed : { ...failed, isRemoval: true as const };
      await outbox.enqueueReport(`role ${guildId} ${role} ${cause}`, {
        kind: 'ownerReport',
        queue: channelId,
        content: { channelId, report },
        deliveryId: null,
        createdAt: clock.now(),
      });
    },
  };
}
