import type { Correction, CorrectionResult } from '../ledger/correction.ts';

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
