import { accountIdOf, type CommunityId } from '../ledger/account.ts';
import {
  type Correction,
  type CorrectionResult,
  correctionEntry,
  overdraws,
  type TransferResult,
} from '../ledger/correction.ts';
import { changeKeyOf, companionsOf, forgottenCorrectionKey, programKeyOf, transferKeyOf } from './idempotency-key.ts';
import type { Tally } from './tally.ts';

/** Corrects an account once per idempotency key of its community, inside the caller's transaction. */
export function recordCorrection(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult {
  const { communityId } = correction;
  const companions = tally.findCorrection(communityId, idempotencyKey) === null ? null : companionsOf(idempotencyKey);
  if (companions !== null && tally.findCorrection(communityId, companions.refund) !== null)
    return { outcome: 'refunded' };
  if (companions !== null && isUsed(tally, communityId, companions.transfer)) return { outcome: 'key_reused' };
  return repeat(tally, correction, idempotencyKey) ?? write(tally, correction, idempotencyKey);
}

/**
 * Moves credits between two accounts once per key, inside the caller's transaction: both corrections are written, or none.
 * @param key as the program has passed it
 */
export function recordTransfer(tally: Tally, taken: Correction, given: Correction, key: string): TransferResult {
  const earlier = [repeat(tally, taken, transferKeyOf(key)), repeat(tally, given, changeKeyOf(key))];
  const isNew = earlier.every((result) => result === null);
  const from = isNew ? write(tally, taken, transferKeyOf(key)) : earlier[0];
  if (from?.outcome === 'overdrawn') return from;
  const to = isNew ? write(tally, given, changeKeyOf(key)) : earlier[1];
  if (from?.outcome !== 'corrected' || to?.outcome !== 'corrected') return { outcome: 'key_reused' };
  return { outcome: 'transferred', fromBalance: from.balance, toBalance: to.balance, repeated: !isNew };
}

/** The result of an earlier correction of the community with the key; null if there is none. */
function repeat(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult | null {
  const { userId, communityId, credits, reason } = correction;
  const stored = tally.findCorrection(communityId, idempotencyKey);
  if (stored === null) return isUsed(tally, communityId, idempotencyKey) ? { outcome: 'key_reused' } : null;
  const isSame = stored.userId === userId && stored.credits === credits && stored.reason === reason;
  return isSame ? { outcome: 'corrected', balance: stored.balance, repeated: true } : { outcome: 'key_reused' };
}

/** Also by a member who was forgotten since. */
function isUsed(tally: Tally, communityId: CommunityId, idempotencyKey: string): boolean {
  const keys = [idempotencyKey, forgottenCorrectionKey(idempotencyKey)];
  return keys.some((key) => tally.findCorrection(communityId, key) !== null);
}

function write(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult {
  const account = tally.accountState(accountIdOf(correction.communityId, correction.userId));
  const isOverdraft = correction.mayOverdraw !== true && overdraws(account.credits, correction.credits);
  if (isOverdraft) return { outcome: 'overdrawn', balance: account.credits };
  const achievement = programKeyOf(idempotencyKey) === null ? null : idempotencyKey;
  const { credits: balance } = tally.append(account, { ...correctionEntry(correction), achievement });
  tally.saveCorrection({ ...correction, idempotencyKey, balance });
  return { outcome: 'corrected', balance, repeated: false };
}
