import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { createPseudonym } from '../../core/ledger/account.ts';
import { maxClaimAgeMs } from '../../core/tally/recorder.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { forgetMember, type MemberDataStore } from './store.ts';

/** Members' access to their data. The log does not name the member. */
export function createMemberDataAccess(options: {
  readonly longestCooldownMs: () => number;
  readonly memberData: MemberDataStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Removes what Discord knows of the member; by default, nothing. */
  readonly unlink?: (userId: string) => Promise<boolean>;
}) {
  const { longestCooldownMs, memberData, clock, log, unlink = async () => false } = options;
  // A vote can be claimed for this time, and repeated without a timestamp for a cooldown.
  const keepVotesMs = () => Math.max(maxClaimAgeMs, longestCooldownMs());
  return {
    async export(userId: string): Promise<string | null> {
      const tables = await memberData.export(userId);
      if (Object.keys(tables).length === 0) return null;
      const exportedAt = new Date(clock.now()).toISOString();
      return JSON.stringify({ userId, exportedAt, times: 'milliseconds since 1970-01-01T00:00:00Z', tables }, null, 2);
    },
    unlink,
    async forget(userId: string): Promise<void> {
      // Its tokens are needed to remove it from Discord.
      await unlink(userId);
      const pseudonym = createPseudonym();
      await forgetMember(memberData, userId, { pseudonym, now: clock.now(), keepVotesMs: keepVotesMs() });
      log.info('forgot a member on request');
    },
  };
}

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly memberData: MemberDataStore };
    readonly unlink: (userId: string) => Promise<boolean>;
  },
) {
  const { store, directory } = context;
  const longestCooldownMs = () => Math.max(0, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs));
  const memberData = createMemberDataAccess({ ...context, longestCooldownMs, memberData: store.memberData });
  return { commands: { memberData } } satisfies FeatureServices;
}
