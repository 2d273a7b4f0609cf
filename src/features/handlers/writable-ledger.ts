/** A change of a member's balance. @category Ledger */
export interface LedgerChange {
  /** Discord ID. */
  readonly userId: string;
  /** Whole credits, from 1 to 1,000,000. */
  readonly credits: number;
  /** What the member reads in `/credits`, up to 200 characters. */
  readonly reason: string;
  /** The idempotency key, up to 100 characters, unique among all changes of the installation. */
  readonly key: string;
  /**
   * Discord ID of the community's guild. By default the community of the event in a handler, otherwise the first
   * configured one.
   */
  readonly guildId?: string | null;
}

/** A change that takes credits. @category Ledger */
export interface LedgerSpending extends LedgerChange {
  /** Whether the balance may become negative; by default it may not. */
  readonly allowNegative?: boolean;
}

/** Credits that one member gives another, of the same community. @category Ledger */
export interface LedgerTransfer extends Omit<LedgerSpending, 'userId'> {
  /** Discord IDs of two members. */
  readonly from: string;
  readonly to: string;
}

/** The change as it was stored. @category Ledger */
export interface LedgerResult {
  /** What it changed: negative if it took credits, so spending 5 returns -5. */
  readonly credits: number;
  /** The balance after it (credits). */
  readonly balance: number;
  /** Whether an earlier call with the same key stored it, and this one changed nothing. */
  readonly repeated: boolean;
}

/** The transfer as it was stored. @category Ledger */
export interface LedgerTransferResult {
  /** What was moved. */
  readonly credits: number;
  /** The balances after it (credits). */
  readonly fromBalance: number;
  readonly toBalance: number;
  /** Whether an earlier call with the same key stored it, and this one changed nothing. */
  readonly repeated: boolean;
}

/**
 * Changes balances. Each change is one entry of the ledger and is on disk when the promise resolves. A second call with
 * the same key and the same change stores nothing and returns the result of the first one, unless it was refunded.
 *
 * All methods reject with TallyhookError `ledger_invalid_change`, `ledger_unknown_community` or `ledger_key_reused` (the
 * key was used for another change), and as {@link StoreUnavailableError} or `queue_full` if nothing can be stored now.
 * @category Ledger
 */
export interface WritableLedger {
  /** Adds credits. */
  award(change: LedgerChange): Promise<LedgerResult>;
  /**
   * Takes credits. Rejects with TallyhookError `ledger_overdrawn` if the balance is too low, and `ledger_refunded` if what
   * was taken with the key was refunded; then nothing is stored.
   */
  spend(change: LedgerSpending): Promise<LedgerResult>;
  /**
   * Returns what {@link WritableLedger.spend} took with this key, to the same account, once.
   * Rejects with TallyhookError `ledger_unknown_spend` if nothing was spent with the key, such as with that of a transfer.
   */
  refund(spend: { readonly key: string; readonly reason: string }): Promise<LedgerResult>;
  /**
   * Moves credits from one member to another: one entry for each, both or none. Rejects with TallyhookError
   * `ledger_overdrawn` if the balance of `from` is too low; then nothing is stored. It is undone by a transfer back.
   * @example
   * ```ts
   * import type { WritableLedger } from 'tallyhook';
   *
   * async function payBet(ledger: WritableLedger, bet: { id: string; loser: string; winner: string }) {
   *   await ledger.transfer({ from: bet.loser, to: bet.winner, credits: 20, reason: 'a bet', key: `bet ${bet.id}` });
   * }
   * ```
   */
  transfer(transfer: LedgerTransfer): Promise<LedgerTransferResult>;
}
