import { randomUUID } from 'node:crypto';
import type { AskedCorrection } from './asked.ts';
import { overdrawn, Refused } from './refused.ts';
import type { OwnerServices } from './services.ts';

/**
 * Sets a member's account right by another entry.
 * @param idempotencyKey a repeat under the same key changes nothing; null for one that cannot be repeated
 * @returns the balance after it (credits), whether it was a repeat, and now (ms since the epoch)
 * @throws Refused 409 for a debt, and for a key that was used for something else; and what {@link Acts} rejects with
 */
export async function correct(
  { acts, clock, log }: OwnerServices,
  userId: string,
  { credits, reason }: AskedCorrection,
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
      throw overdrawn(corrected.balance);
    case 'key_reused':
      throw new Refused(
        409,
        'This Idempotency-Key was used for another correction. Send a new one for a new correction.',
      );
  }
}
