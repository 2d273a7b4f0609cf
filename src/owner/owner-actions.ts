import type { Correction } from '../ledger/correction.ts';

/** The result of a correction. Nothing was written unless it is `corrected`. */
export type CorrectionResult =
  /** `balance` in credits. `repeated`: the key was used before for the same correction, and nothing was written now. */
  | { readonly outcome: 'corrected'; readonly balance: number; readonly repeated: boolean }
  /** It would take more than the balance (credits). */
  | { readonly outcome: 'overdrawn'; readonly balance: number }
  /** The key was used before, for another correction. */
  | { readonly outcome: 'key_reused' };

/**
 * The owner's writes, each in its own transaction. They reject with {@link StoreUnavailableError} or TallyhookError
 * `queue_full`.
 */
export interface OwnerActions {
  /** Appends an entry and changes the balance by it, once per idempotency key. */
  correct(correction: Correction, idempotencyKey: string): Promise<CorrectionResult>;
  /** Requeues a buried effect as if it were new: due now (ms since the epoch), without attempts. */
  requeueEffect(effectId: number, now: number): Promise<'revived' | 'not_buried' | 'unknown'>;
}
