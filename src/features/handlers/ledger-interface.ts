import type { Account } from '../../core/ledger/account.ts';
import type {
  LeaderboardPage,
  LeaderboardPeriod,
  LeaderboardQuery,
  LeaderboardScore,
} from '../../core/ledger/standing.ts';
import type { LedgerEntry } from '../../core/records/records.ts';
import type { WritableLedger } from './writable-ledger.ts';

/** Which community is read: that of this guild. @category Ledger */
export interface LedgerPlace {
  /** Discord ID of a guild. By default as for changes. */
  readonly guildId?: string | null;
}

/** Which entries of a member are read. @category Ledger */
export interface LedgerEntriesQuery extends LedgerPlace {
  /** At most this many, from 1 to 100; 20 by default. */
  readonly limit?: number;
  /** Only entries before the one with this `id`, for the next page. */
  readonly before?: number | null;
}

/** Which members of a leaderboard are read. @category Ledger */
export interface LedgerStandingsQuery extends LedgerPlace, Partial<Pick<LeaderboardQuery, 'offset' | 'userId'>> {
  /** At most this many members, from 1 to 100; 10 by default. */
  readonly limit?: number;
}

/**
 * Reads and changes balances. All methods reject with TallyhookError `ledger_invalid_change` if an argument is not valid,
 * such as an id that is not one of Discord, and `ledger_unknown_community`; reads also with the error of the database's driver.
 * @category Ledger
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
  entries(userId: string, query?: LedgerEntriesQuery): Promise<readonly LedgerEntry[]>;
  /** A leaderboard. Credits of a week or month are what its votes earned; those of all time are the balances. */
  standings(period: LeaderboardPeriod, by: LeaderboardScore, query?: LedgerStandingsQuery): Promise<LeaderboardPage>;
}
