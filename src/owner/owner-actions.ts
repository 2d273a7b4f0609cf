import type { Correction } from '../ledger/correction.ts';

/** What became of a correction. Nothing was written unless it is `corrected`. */
export type CorrectionResult =
  /** `repeated`: the key was used before for the same correction, and this is its balance (credits). */
  | { readonly outcome: 'corrected'; readonly balance: number; readonly repeated: boolean }
  /** It would take more than there is (credits). */
  | { readonly outcome: 'overdrawn'; readonly balance: number }
  /** The key was used before, for something else. */
  | { readonly outcome: 'key_reused' };

/**
 * What the owner may do to what is stored, each in a transaction of its own. Rejects with {@link StoreUnavailable} or
 * TallyhookError `queue_full`.
 */
export interface OwnerActions {
  /** Appends an entry and moves the balance by it, once for each idempotency key. */
  correct(correction: Correction, idempotencyKey: string): Promise<CorrectionResult>;
  /** Lets a buried effect wait again as if it were new: due now (ms since the epoch), no attempt made. */
  requeueEffect(effectId: number, now: number): Promise<'revived' | 'not_buried' | 'unknown'>;
}
