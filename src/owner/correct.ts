import { randomUUID } from 'node:crypto';
import type { OwnerContext } from './context.ts';
import { HttpError, overdraftError } from './http-error.ts';
import type { CorrectionRequest } from './request-schemas.ts';

/**
 * Sets a member's account right by another entry.
 * @param idempotencyKey a repeat under the same key changes nothing; null for one that cannot be repeated
 * @returns the balance after it (credits), whether it was a repeat, and now (ms since the epoch)
 * @throws Refused 409 for a debt, and for a key that was used for something else; and what {@link Acts} rejects with
 */
export async function correct(
  { actions: acts, clock, log }: OwnerContext,
  userId: string,
  { credits, reason }: CorrectionRequest,
  idempotencyKey: string | null,
): Promise<{ readonly balance: number; readonly repeated: boolean; readonly at: number }> {
  const at = clock.now();
  const corrected = await acts.correct({ userId, credits, reason, at }, idempotencyKey ?? randomUUID());
  switch (corrected.outcome) {
    case 'corrected': {
      const { balance, repeated } = corrected;
      log.info({ user: userId, credits, balance, repeated }, 'the owner corrected an account');
      return { balance, repeated, at };
    }
    case 'overdrawn':
      throw overdraftError(corrected.balance);
    case 'key_reused':
      throw new HttpError(
        409,
        'This Idempotency-Key was used for another correction. Send a new one for a new correction.',
      );
  }
}
