import { randomUUID } from 'node:crypto';
import { formatCount } from '../platform/durations.ts';
import { HttpError } from '../platform/web/http-error.ts';
import type { OwnerContext } from './context.ts';
import type { CorrectionRequest } from './request-schemas.ts';

/**
 * Corrects a member's account with an additional entry.
 * @param by `idempotencyKey`: a repeat with the same key changes nothing; null for a correction that cannot be repeated
 * @returns the new balance (credits), whether it was a repeat, and the current time (ms since the epoch)
 * @throws HttpError 409 for an overdraft, and for a key that was used for another correction
 * @throws the errors of {@link Recordings}
 */
export async function correct(
  { recorder, communities, clock, log }: OwnerContext,
  userId: string,
  { credits, reason, guildId }: CorrectionRequest,
  { idempotencyKey, author }: { readonly idempotencyKey: string | null; readonly author: string },
): Promise<{ readonly balance: number; readonly repeated: boolean; readonly at: number }> {
  const at = clock.now();
  const { accounts } = guildId === undefined ? communities.home : communities.inGuild(guildId);
  const result = await recorder.correct(
    { userId, accounts, credits, reason, at, author },
    idempotencyKey ?? randomUUID(),
  );
  switch (result.outcome) {
    case 'corrected': {
      const { balance, repeated } = result;
      log.info(
        { user: userId, ...(accounts && { guild: accounts }), credits, balance, repeated, author },
        'owner corrected an account',
      );
      return { balance, repeated, at };
    }
    case 'overdrawn':
      throw overdraftError(result.balance);
    case 'refunded':
    case 'key_reused':
      throw new HttpError(
        409,
        'This Idempotency-Key was used for another correction. Use a new key for each correction.',
      );
  }
}

/** @param balance credits */
export function overdraftError(balance: number): HttpError {
  return new HttpError(
    409,
    `The account has ${formatCount(balance, 'credit')}. A correction cannot take more than the balance.`,
  );
}
