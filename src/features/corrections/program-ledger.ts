import { type AccountScope, accountIdOf, homeAccounts } from '../../core/ledger/account.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import type { Ledger, LedgerPlace } from '../../core/ledger/program-ledger.ts';
import { leaderboardPeriods, leaderboardScores } from '../../core/ledger/standing.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Directory } from '../communities/feature.ts';
import type { Store } from '../store.ts';
import { checkMember, checkOneOf, checkWhole, createWritableLedger, knownAccounts } from './program-ledger-writes.ts';

const maxLimit = 100;

export interface LedgerSources {
  readonly store: Pick<Store, 'recorder' | 'corrections' | 'communitiesOf' | 'ledgerIn' | 'records' | 'standingsIn'>;
  readonly directory: Pick<Directory, 'ofGuild' | 'communities'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The ledger of an installation.
 * @param defaultGuildId the community of calls that name none; undefined for the home community, and all together where
 *   accounts are read
 */
export function createLedger({ store, directory, clock }: LedgerSources, defaultGuildId?: string | null): Ledger {
  const accountsOf = (id: string | null) => directory.ofGuild(id)?.accounts ?? (id === null ? homeAccounts : undefined);
  const accountsIn = ({ guildId = defaultGuildId }: LedgerPlace) => knownAccounts(accountsOf, guildId ?? null);

  function timeZoneOf(accounts: AccountScope): string {
    return directory.communities.find((community) => community.accounts === accounts)?.timeZone ?? 'UTC';
  }

  /** The ledgers in which the member has an account. */
  async function ledgersOf(userId: string, { guildId = defaultGuildId }: LedgerPlace): Promise<readonly LedgerReads[]> {
    checkMember('userId', userId);
    const only = guildId === undefined ? null : accountsIn({ guildId });
    const scopes = await store.communitiesOf(userId);
    return scopes.filter((accounts) => only === null || accounts === only).map(store.ledgerIn);
  }

  return {
    ...createWritableLedger({ store, accountsOf, clock }, defaultGuildId ?? null),

    async account(userId, place = {}) {
      const ledgers = await ledgersOf(userId, place);
      const accounts = await Promise.all(ledgers.map((ledger) => ledger.account(userId)));
      const sum = (of: 'credits' | 'votes') => accounts.reduce((total, account) => total + account[of], 0);
      return accounts.length === 0 ? null : { userId, credits: sum('credits'), votes: sum('votes') };
    },

    async lastVoteAt(userId, listing) {
      const ledgers = await ledgersOf(userId, {});
      const times = await Promise.all(ledgers.map((ledger) => ledger.lastVoteAt(userId, listing)));
      const known = times.filter((at) => at !== null);
      return known.length === 0 ? null : Math.max(...known);
    },

    async entries(userId, { limit = 20, before = null, ...place } = {}) {
      checkMember('userId', userId);
      checkWhole('limit', limit, 1, maxLimit);
      if (before !== null) checkWhole('before', before, 0, Number.MAX_SAFE_INTEGER);
      return store.records.entries(accountIdOf(accountsIn(place), userId), limit, before);
    },

    async standings(period, by, { limit = 10, offset = 0, userId = null, ...place } = {}) {
      checkOneOf('period', period, leaderboardPeriods);
      checkOneOf('by', by, leaderboardScores);
      checkWhole('limit', limit, 1, maxLimit);
      if (offset !== 'own') checkWhole('offset', offset, 0, Number.MAX_SAFE_INTEGER);
      if (userId !== null) checkMember('userId', userId);
      const accounts = accountsIn(place);
      const standings = store.standingsIn(accounts, timeZoneOf(accounts));
      return standings.leaderboard({ period, by, limit, offset, userId }, clock.now());
    },
  };
}
