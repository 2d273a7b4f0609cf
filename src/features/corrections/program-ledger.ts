import type { Clock } from '@tallyhook/platform/clock';
import { accountIdOf, type LedgerReads } from '../../core/ledger/account.ts';
import type { Ledger } from '../../core/ledger/program-ledger.ts';
import { leaderboardPeriods, leaderboardScores } from '../../core/ledger/standing.ts';
import { type Community, type Directory, onlyCommunity } from '../communities/feature.ts';
import type { Store } from '../store.ts';
import { checkMember, checkOneOf, checkWhole, createWritableLedger, knownCommunity } from './program-ledger-writes.ts';

const maxLimit = 100;

export interface LedgerSources {
  readonly store: Pick<Store, 'recorder' | 'corrections' | 'communitiesOf' | 'ledgerIn' | 'records' | 'standingsIn'>;
  readonly directory: Pick<Directory, 'ofGuild' | 'byDefault' | 'communities' | 'communityOf'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The ledger of an installation.
 * @param defaultGuildId the guild of the community of calls that name none, null for listings without a guild; undefined
 *   for the only community
 */
export function createLedger({ store, directory, clock }: LedgerSources, defaultGuildId?: string | null): Ledger {
  function communityAt(guildId: string | null | undefined = defaultGuildId): Community {
    return guildId === undefined ? onlyCommunity(directory) : knownCommunity(directory, guildId);
  }

  async function accountIn({ id }: Community, userId: string): Promise<LedgerReads | null> {
    checkMember('userId', userId);
    const communities = await store.communitiesOf(userId);
    return communities.includes(id) ? store.ledgerIn(id) : null;
  }

  return {
    ...createWritableLedger({ store, communityAt: (guildId) => communityAt(guildId).id, clock }),

    async account(userId, { guildId } = {}) {
      const ledger = await accountIn(communityAt(guildId), userId);
      return (await ledger?.account(userId)) ?? null;
    },

    async lastVoteAt(userId, listing) {
      const [name] = [listing].flat();
      const named = name === null || name === undefined ? undefined : directory.communityOf(name);
      const ledger = await accountIn(named ?? communityAt(), userId);
      return (await ledger?.lastVoteAt(userId, listing)) ?? null;
    },

    async entries(userId, { limit = 20, before = null, guildId } = {}) {
      checkMember('userId', userId);
      checkWhole('limit', limit, 1, maxLimit);
      if (before !== null) checkWhole('before', before, 0, Number.MAX_SAFE_INTEGER);
      return store.records.entries(accountIdOf(communityAt(guildId).id, userId), limit, before);
    },

    async standings(period, by, { limit = 10, offset = 0, userId = null, guildId } = {}) {
      checkOneOf('period', period, leaderboardPeriods);
      checkOneOf('by', by, leaderboardScores);
      checkWhole('limit', limit, 1, maxLimit);
      if (offset !== 'own') checkWhole('offset', offset, 0, Number.MAX_SAFE_INTEGER);
      if (userId !== null) checkMember('userId', userId);
      const { id, timeZone } = communityAt(guildId);
      const standings = store.standingsIn(id, timeZone);
      return standings.leaderboard({ period, by, limit, offset, userId }, clock.now());
    },
  };
}
