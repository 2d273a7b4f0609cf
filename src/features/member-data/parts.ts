import { createPseudonym } from '../../core/ledger/account.ts';
import { maxClaimAgeMs } from '../../core/tally/recorder.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import { forgetMember, type MemberDataStore } from './store.ts';

interface MemberDataContext extends Pick<ServicesContext, 'clock' | 'log'> {
  readonly store: { readonly memberData: MemberDataStore };
  readonly directory: Pick<ServicesContext['directory'], 'listings'>;
  /** Removes what Discord knows of the member. Returns whether the member had linked the account. */
  readonly unlink: (userId: string) => Promise<boolean>;
}

/** Members' access to their data. The log does not name the member. Rejects with the errors of the store. */
export function createMemberDataAccess({ store, directory, unlink, clock, log }: MemberDataContext) {
  // A vote can be claimed for this time, and repeated without a timestamp for a cooldown.
  const keepVotesMs = () =>
    Math.max(maxClaimAgeMs, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs));
  return {
    /** Everything as JSON; null if nothing is stored. Times are ms since the epoch. */
    async export(userId: string): Promise<string | null> {
      const tables = await store.memberData.export(userId);
      if (Object.keys(tables).length === 0) return null;
      const exportedAt = new Date(clock.now()).toISOString();
      return JSON.stringify({ userId, exportedAt, times: 'milliseconds since 1970-01-01T00:00:00Z', tables }, null, 2);
    },
    unlink,
    /** Deletes what links the stored data to the member. Repeating it changes nothing. */
    async forget(userId: string): Promise<void> {
      // Its tokens are needed to remove it from Discord.
      await unlink(userId);
      const pseudonym = createPseudonym();
      await forgetMember(store.memberData, userId, { pseudonym, now: clock.now(), keepVotesMs: keepVotesMs() });
      log.info('forgot a member on request');
    },
  };
}

export function createServices(context: ServicesContext & Pick<MemberDataContext, 'store' | 'unlink'>) {
  const memberData = createMemberDataAccess(context);
  return { shared: { memberData }, commands: { memberData } } satisfies FeatureServices;
}
