import type { Account } from '../../core/ledger/account.ts';
import { type AccountScope, accountIdOf, homeAccounts } from '../../core/ledger/account-id.ts';
import type { LedgerReads } from '../../core/ledger/ledger.ts';
import {
  type LeaderboardPage,
  type LeaderboardPeriod,
  type LeaderboardQuery,
  type LeaderboardScore,
  leaderboardPeriods,
  leaderboardScores,
} from '../../core/ledger/standing.ts';
import type { EntryRecord } from '../../core/records/records.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Directory } from '../communities/feature.ts';
import type { Store } from '../store.ts';
import { createWritableLedger, knownAccounts } from './ledger.ts';
import { checkMember, checkOneOf, checkWhole } from './ledger-fields.ts';
import type { WritableLedger } from './writable-ledger.ts';

/** Which community is read: that of this guild. */
export interface LedgerPlace {
  /** Discord ID of a guild. By default as for changes. */
  readonly guildId?: string | null;
}

/** Which entries of a member are read. */
export interface LedgerEntriesQuery extends LedgerPlace {
  /** At most this many, from 1 to 100; 20 by default. */
  readonly limit?: number;
  /** Only entries before the one with this `id`, for the next page. */
  readonly before?: number | null;
}

/** Which members of a leaderboard are read. */
export interface LedgerStandingsQuery extends LedgerPlace, Partial<Pick<LeaderboardQuery, 'offset' | 'userId'>> {
  /** At most this many members, from 1 to 100; 10 by default. */
  readonly limit?: number;
}

/**
 * Reads and changes balances. All methods reject with TallyhookError `ledger_invalid_change` if an argument is not valid,
 * such as an id that is not one of Discord, and `ledger_unknown_community`; reads also with the error of the database's driver.
 * @example
 * ```ts
 * import type { Ledger } from 'tallyhook';
 *
 * async function describe(ledger: Ledger, userId: string) {
 *   const account = await ledger.account(userId);
 *   if (account === null) return 'no votes yet';
 *   const [newest] = await ledger.entries(userId, { limit: 1 });
 *   const { own } = await ledger.standings('week', 'votes', { userId });
 *   return `${account.credits} credits, the last for ${newest?.reason ?? newest?.cause}, #${own?.rank} of this week`;
 * }
 * ```
 */
export interface Ledger extends WritableLedger {
  /**
   * The balance and the counted votes of a member; null if there is no account. Of the community of the event in a handler,
   * otherwise of all communities together, unless `guildId` names one.
   */
  account(userId: string, place?: LedgerPlace): Promise<Account | null>;
  /**
   * Time of the member's last counted vote for a listing, for one of several, or for any if it is null (ms since the epoch).
   * Null if there is none. In the same communities as {@link Ledger.account}.
   */
  lastVoteAt(userId: string, listing: string | readonly string[] | null): Promise<number | null>;
  /**
   * The entries of a member, newest first. For the next page, pass the `id` of the last one as `before`. Entries of a
   * program have its `key` and `reason`, and the cause `correction`.
   */
  entries(userId: string, query?: LedgerEntriesQuery): Promise<readonly EntryRecord[]>;
  /** A leaderboard. Credits of a week or month are what its votes earned; those of all time are the balances. */
  standings(period: LeaderboardPeriod, by: LeaderboardScore, query?: LedgerStandingsQuery): Promise<LeaderboardPage>;
}

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
