import { accountIdOf } from '../ledger/account-id.ts';
import { type Correction, type CorrectionResult, correctionEntry, overdraws } from '../ledger/correction.ts';
import { forgottenCorrectionKey } from './idempotency-key.ts';
import { refundOfChange } from './ledger-keys.ts';
import type { StoredCorrection, Tally } from './tally.ts';

/** Corrects an account once per idempotency key, inside the caller's transaction. */
export function recordCorrection(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult {
  const stored = tally.findCorrection(idempotencyKey);
  if (stored !== null) {
    const refundKey = refundOfChange(idempotencyKey);
    if (refundKey !== null && tally.findCorrection(refundKey) !== null) return { outcome: 'refunded' };
    return isSame(stored, correction)
      ? { outcome: 'corrected', balance: stored.balance, repeated: true }
      : { outcome: 'key_reused' };
  }
  if (tally.findCorrection(forgottenCorrectionKey(idempotencyKey)) !== null) return { outcome: 'key_reused' };
  const account = tally.accountState(accountIdOf(correction.accounts, correction.userId));
  const isOverdraft = correction.mayOverdraw !== true && overdraws(account.credits, correction.credits);
  if (isOverdraft) return { outcome: 'overdrawn', balance: account.credits };
  const { credits: balance } = tally.append(account, correctionEntry(correction));
  tally.saveCorrection({ ...correction, idempotencyKey, balance });
  return { outcome: 'corrected', balance, repeated: false };
}

function isSame(stored: StoredCorrection, { userId, accounts, credits, reason }: Correction): boolean {
  const isSameAccount = stored.userId === userId && stored.accounts === accounts;
  return isSameAccount && stored.credits === credits && stored.reason === reason;
}
