import type { LedgerEntry } from '../records/records.ts';
import type { Account } from './account.ts';
import type { LeaderboardPage, LeaderboardPeriod, LeaderboardQuery, LeaderboardScore } from './standing.ts';

/** A change of a member's balance. @category Ledger */
export interface LedgerChange {
  /** Discord ID. */
  readonly userId: string;
  /** Whole credits, from 1 to 1,000,000. */
  readonly credits: number;
  /** The reason that the member reads in `/credits`, up to 200 characters. */
  readonly reason: string;
  /** The idempotency key, up to 100 characters, unique among all changes in the community. */
  readonly key: string;
  /**
   * Discord ID of the community's guild; null for listings without a guild. By default the community of the event in a
   * handler, otherwise the only one.
   */
  readonly guildId?: string | null;
}

/** A change that takes credits. @category Ledger */
export interface LedgerSpending extends LedgerChange {
  /** True if the balance may become negative; by default it may not. */
  readonly allowNegative?: boolean;
}

/** Credits that one member gives another, of the same community. @category Ledger */
export interface LedgerTransfer extends Omit<LedgerSpending, 'userId'> {
  /** Discord IDs of two members. */
  readonly from: string;
  readonly to: string;
}

/** A spending to refund. @category Ledger */
export type LedgerRefund = Pick<LedgerChange, 'key' | 'reason' | 'guildId'>;

/** The change as it was stored. @category Ledger */
export interface LedgerResult {
  /** The credits by which it changed the balance: negative if it took some, so spending 5 returns -5. */
  readonly credits: number;
  /** The balance after it (credits). */
  readonly balance: number;
  /** True if an earlier call with the same key stored it, and this one changed nothing. */
  readonly repeated: boolean;
}

/** The transfer as it was stored. @category Ledger */
export interface LedgerTransferResult {
  /** The credits that were moved. */
  readonly credits: number;
  /** The balances after it (credits). */
  readonly fromBalance: number;
  readonly toBalance: number;
  /** True if an earlier call with the same key stored it, and this one changed nothing. */
  readonly repeated: boolean;
}

/**
 * Changes balances. Each change is one entry of the ledger and is on disk when the promise resolves. A second call with
 * the same key and the same change in the same community stores nothing and returns the result of the first one, unless
 * it was refunded.
 *
 * All methods reject with TallyhookError `ledger_invalid_change`, `ledger_unknown_community` or `ledger_key_reused`
 * (the key was used for another change), and as {@link StoreUnavailableError} or `queue_full` if nothing can be stored
 * now.
 * @category Ledger
 */
export interface WritableLedger {
  /** Adds credits. */
  award(change: LedgerChange): Promise<LedgerResult>;
  /**
   * Takes credits. Rejects with TallyhookError `ledger_overdrawn` if the balance is too low, and `ledger_refunded` if
   * what was taken with the key was refunded; then nothing is stored.
   */
  spend(change: LedgerSpending): Promise<LedgerResult>;
  /**
   * Returns what {@link WritableLedger.spend} took with this key in the same community, to the same account, once.
   * Rejects with TallyhookError `ledger_unknown_spend` if nothing was spent with the key, such as with that of a
   * transfer.
   */
  refund(spend: LedgerRefund): Promise<LedgerResult>;
  /**
   * Moves credits from one member to another: one entry for each, both or none. Rejects with TallyhookError
   * `ledger_overdrawn` if the balance of `from` is too low; then nothing is stored. It is undone by a transfer back.
   * @example
   * ```ts
   * import type { WritableLedger } from 'tallyhook/receiver';
   *
   * async function payBet(ledger: WritableLedger, bet: { id: string; loser: string; winner: string }) {
   *   await ledger.transfer({ from: bet.loser, to: bet.winner, credits: 20, reason: 'a bet', key: `bet ${bet.id}` });
   * }
   * ```
   */
  transfer(transfer: LedgerTransfer): Promise<LedgerTransferResult>;
}

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
 * Reads and changes balances. All methods reject with TallyhookError `ledger_invalid_change` if an argument is not
 * valid, such as an id that is not one of Discord, and `ledger_unknown_community`; reads also with the error of the
 * database's driver.
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
  /** The balance and the counted votes of a member; null if there is no account. */
  account(userId: string, place?: LedgerPlace): Promise<Account | null>;
  /**
   * Time of the member's last counted vote for a listing, for one of several, or for any if it is null (ms since the
   * epoch). Null if there is none.
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
